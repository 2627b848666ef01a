import { expect, test } from "vitest";
import { isPeriod, summarize } from "./history";

const AT = "2026-03-01T12:00:00Z";

const point = (samples: number, reachable: number, players_avg: number | null, most: number) => ({
  at: AT,
  samples,
  reachable,
  players_avg,
  players_max: players_avg === null ? null : most,
  max_players: 24,
});

test("the average counts every answer once", () => {
  const summary = summarize([point(10, 10, 4, 6), point(30, 30, 8, 12), point(10, 0, null, 0)]);
  expect(summary).toEqual({ average: 7, most: 12, answered: 0.8, since: null });
});

test("without answers there is no average, and without queries nothing to answer", () => {
  const nothing = { average: null, most: null, since: null };
  expect(summarize([point(5, 0, null, 0)])).toEqual({ ...nothing, answered: 0 });
  expect(summarize([])).toEqual({ ...nothing, answered: null });
});

test("a server that was added within the period has a start", () => {
  const before = { ...point(0, 0, null, 0), at: "2026-03-01T11:55:00Z" };
  expect(summarize([before, before, point(5, 5, 2, 3)]).since).toBe(AT);
  expect(summarize([before, point(5, 5, 2, 3)]).since).toBeNull();
});

test("a period comes from the address, which may say anything", () => {
  expect(isPeriod("7d")).toBe(true);
  expect(isPeriod("toString")).toBe(false);
  expect(isPeriod(null)).toBe(false);
});
