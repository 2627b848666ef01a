import { expect, test } from "vitest";
import { isPeriod, summarize } from "./history";

const point = (samples: number, reachable: number, players_avg: number | null, most: number) => ({
  at: "2026-03-01T12:00:00Z",
  samples,
  reachable,
  players_avg,
  players_max: players_avg === null ? null : most,
  max_players: 24,
});

test("the average counts every answer once", () => {
  const summary = summarize([point(10, 10, 4, 6), point(30, 30, 8, 12), point(10, 0, null, 0)]);
  expect(summary).toEqual({ average: 7, most: 12, answered: 0.8 });
});

test("without answers there is no average, and without queries nothing to answer", () => {
  expect(summarize([point(5, 0, null, 0)])).toEqual({ average: null, most: null, answered: 0 });
  expect(summarize([])).toEqual({ average: null, most: null, answered: null });
});

test("a period comes from the address, which may say anything", () => {
  expect(isPeriod("7d")).toBe(true);
  expect(isPeriod("toString")).toBe(false);
  expect(isPeriod(null)).toBe(false);
});
