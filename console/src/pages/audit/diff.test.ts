import { expect, test } from "vitest";
import { asText, changes, compare, folded, isLong } from "./diff";

test("nested fields are compared one by one", () => {
  const before = { status: "active", block: { reason: "Spam", until: null } };
  const after = { status: "blocked", block: { reason: "Cheating", until: null } };
  expect(changes(before, after)).toEqual([
    { path: "status", before: "active", after: "blocked" },
    { path: "block.reason", before: "Spam", after: "Cheating" },
  ]);
});

test("a field that was not there is undefined, one that was empty is null", () => {
  expect(changes({ block: null }, { block: { reason: "Spam" } })).toEqual([
    { path: "block", before: null, after: undefined },
    { path: "block.reason", before: undefined, after: "Spam" },
  ]);
});

test("lists have one item in each line", () => {
  expect(asText(["admin.users", "admin.roles"])).toBe("admin.users\nadmin.roles");
  expect(asText([{ id: 1 }])).toBe('{"id":1}');
  expect(asText([])).toBe("[]");
});

test("only what differs is marked", () => {
  expect(compare("Be kind to all", "Be nice to all")).toEqual([
    { start: "Be ", middle: "kind", end: " to all" },
    { start: "Be ", middle: "nice", end: " to all" },
  ]);
  expect(compare("aa", "aaa")).toEqual([
    { start: "aa", middle: "", end: "" },
    { start: "aa", middle: "a", end: "" },
  ]);
});

test("a long text is folded around its change", () => {
  const [parts] = compare(`${"a".repeat(500)}b`, `${"a".repeat(500)}c`);
  expect(isLong(parts)).toBe(true);
  expect(folded(parts)).toEqual({ start: `…${"a".repeat(60)}`, middle: "b", end: "" });
});
