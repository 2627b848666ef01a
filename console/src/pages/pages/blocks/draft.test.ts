import { expect, test } from "vitest";
import { type Block, blockOf, draftOf, EMPTY, moved, parseJson } from "./draft";

const block = (type: string, content: unknown): Block => ({ id: 1, order: 0, type, content });

test.each([
  block("text", "<p>Hi</p>"),
  block("image", { url: "/a.png", alt: "A", width: 10, height: 0 }),
  block("video", { id: "x", tags: [1, 2] }),
  block("counter", 5),
])("a $type block stays as it is if nothing is changed", (one) => {
  expect(blockOf(draftOf(one))).toEqual({ block: { type: one.type, content: one.content } });
});

test("an image needs whole numbers as its size", () => {
  const image = { url: "/a.png", alt: "A", width: "10", height: "1.5" };
  expect(blockOf({ ...EMPTY, kind: "image", image })).toEqual({
    fault: { field: "height", reason: null },
  });
});

test("a block of another kind needs JSON that is not null", () => {
  const draft = { ...EMPTY, kind: "other" as const, other: { type: "video", json: "{" } };
  expect(blockOf(draft)).toHaveProperty("fault.field", "json");
  expect(parseJson("null")).toEqual({ reason: "null" });
  expect(parseJson('"text"')).toEqual({ value: "text" });
});

test("an element moves up and down", () => {
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
  expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
  expect(moved(["a", "b", "c"], 1, 1)).toEqual(["a", "b", "c"]);
});
