import { expect, test } from "vitest";
import { daysOf, growth, periods } from "./period";

const NOW = Date.parse("2026-03-02T15:00:00Z");

test("the period ends today, and the one before ends the day before it begins", () => {
  expect(periods(7, NOW)).toEqual({
    current: { start: "2026-02-24", end: "2026-03-02" },
    previous: { start: "2026-02-17", end: "2026-02-23" },
  });
});

test("both ends are days of the period", () => {
  const days = daysOf(periods(30, NOW).current);
  expect([days.length, days[0], days.at(-1)]).toEqual([30, "2026-02-01", "2026-03-02"]);
});

test("nothing before is no growth", () => {
  expect(growth(5, 4)).toBe(0.25);
  expect(growth(5, 0)).toBeNull();
});
