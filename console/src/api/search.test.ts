import { expect, test } from "vitest";
import { searchOf } from "./search";

test("fewer than three characters are no search", () => {
  expect(searchOf({ q: " ab " })).toBeNull();
  expect(searchOf({ q: "😀😀" })).toBeNull();
  expect(searchOf({ status: "active" })).toBeNull();
  expect(searchOf(undefined)).toBeNull();
});

test("white space around the words is no part of a search", () => {
  expect(searchOf({ q: " anna " })).toBe("anna");
});
