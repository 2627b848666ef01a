import { expect, test } from "vitest";
import { changesOf, conflictsOf } from "./conflict";

const base = { name: "a", color: "#000000", ids: [1, 2], note: null };

test("only fields that differ are changes", () => {
  const values = { name: "b", color: "#000000", ids: [1, 2], note: undefined };
  expect(changesOf(["name", "color", "ids", "note"], base, values)).toEqual({ name: "b" });
  expect(changesOf(["ids"], base, { ids: [2] })).toEqual({ ids: [2] });
});

test("a field that only one of them changed is no conflict", () => {
  const current = { ...base, color: "#ffffff" };
  expect(conflictsOf(base, { name: "b" }, current)).toEqual([]);
});

test("the same change by both is no conflict", () => {
  expect(conflictsOf(base, { name: "b" }, { ...base, name: "b" })).toEqual([]);
});

test("different changes of one field are a conflict", () => {
  expect(conflictsOf(base, { name: "b" }, { ...base, name: "c" })).toEqual([
    { field: "name", theirs: "c", yours: "b" },
  ]);
});
