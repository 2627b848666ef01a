import { expect, test } from "vitest";
import { before, daysOf, growth, lastDays, periodIn, valuesOf } from "./period";

const now = Date.parse("2026-03-02T01:00:00Z");

test("a length ends today, which counts", () => {
  const period = periodIn(new URLSearchParams("days=7"), now);
  expect(period).toEqual({ from: "2026-02-24", to: "2026-03-02", length: 7 });
  expect(daysOf(period)).toHaveLength(7);
});

test("what the address does not have, or has wrongly, is 30 days", () => {
  for (const search of ["", "days=8", "from=2026-03-02&to=2026-03-01", "from=x&to=2026-03-01"]) {
    expect(periodIn(new URLSearchParams(search), now).length, search).toBe(30);
  }
});

test("both ends can be chosen", () => {
  const period = periodIn(new URLSearchParams("from=2026-01-01&to=2026-01-31"), now);
  expect(period).toEqual({ from: "2026-01-01", to: "2026-01-31", length: null });
});

test("the period before is as long and does not overlap", () => {
  expect(before({ from: "2026-03-01", to: "2026-03-02" })).toEqual({
    from: "2026-02-27",
    to: "2026-02-28",
  });
});

test("days without invoices are zero", () => {
  const period = { from: "2026-03-01", to: "2026-03-03" };
  expect(valuesOf(period, [{ date: "2026-03-02", amount: 9.99 }])).toEqual([0, 9.99, 0]);
});

test("both ends are days of the period", () => {
  const days = daysOf(lastDays(30, now));
  expect([days.length, days[0], days.at(-1)]).toEqual([30, "2026-02-01", "2026-03-02"]);
});

test("nothing before is no growth", () => {
  expect(growth(5, 4)).toBe(0.25);
  expect(growth(5, 0)).toBeNull();
});
