import { expect, test } from "vitest";
import { nextCursor, searchOf } from "./lists";

test("the cursor is that of the next part", () => {
  const link = '</api/x?per_page=2>; rel="first", </api/x?per_page=2&after=1_5>; rel="next"';
  expect(nextCursor(link)).toBe("1_5");
});

test("after the last part there is none", () => {
  expect(nextCursor(null)).toBeNull();
  expect(nextCursor('</api/x?after=3>; rel="prev"')).toBeNull();
});

test("fewer than three characters are no search", () => {
  expect(searchOf({ q: " ab " })).toBeNull();
  expect(searchOf({ q: "😀😀" })).toBeNull();
  expect(searchOf({ status: "active" })).toBeNull();
  expect(searchOf(undefined)).toBeNull();
});

test("white space around the words is no part of a search", () => {
  expect(searchOf({ q: " anna " })).toBe("anna");
});
