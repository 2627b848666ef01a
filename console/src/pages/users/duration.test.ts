import { expect, test } from "vitest";
import { after } from "./duration";

test("days and weeks are added", () => {
  const now = new Date("2026-12-30T12:00:00.500Z");
  expect(after("day", now)).toBe("2026-12-31T12:00:00Z");
  expect(after("week", now)).toBe("2027-01-06T12:00:00Z");
});

test("a month ends on the same day, or on the last one of a shorter month", () => {
  expect(after("month", new Date("2026-11-16T12:00:00Z"))).toBe("2026-12-16T12:00:00Z");
  expect(after("month", new Date("2027-01-31T12:00:00Z"))).toBe("2027-02-28T12:00:00Z");
});
