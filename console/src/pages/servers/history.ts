import type { Schemas } from "../../api/client";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** The periods of the chart, in seconds, and the length of their points. */
export const PERIODS = {
  "24h": { length: DAY, step: 300 },
  "7d": { length: 7 * DAY, step: HOUR },
  "30d": { length: 30 * DAY, step: 2 * HOUR },
  "365d": { length: 365 * DAY, step: DAY },
} as const;

export type Period = keyof typeof PERIODS;

export function isPeriod(text: string | null): text is Period {
  return text !== null && Object.hasOwn(PERIODS, text);
}

export type Point = Schemas["ServerHistoryPoint"];

export interface Summary {
  /** `null` where the server never answered. */
  average: number | null;
  most: number | null;
  /** The part of the queries that were answered. */
  answered: number | null;
  /** When the first query was, unless there were queries from the start of the period on. */
  since: string | null;
}

/** The first point may be shorter than the others, and without a query for that reason. */
const START = 2;

export function summarize(points: Point[]): Summary {
  const sum = (value: (point: Point) => number) =>
    points.reduce((total, point) => total + value(point), 0);
  const answers = sum(({ reachable }) => reachable);
  const queries = sum(({ samples }) => samples);
  const players = sum(({ players_avg, reachable }) => (players_avg ?? 0) * reachable);
  const first = points.findIndex(({ samples }) => samples > 0);
  return {
    average: answers === 0 ? null : players / answers,
    most: answers === 0 ? null : Math.max(...points.map(({ players_max }) => players_max ?? 0)),
    answered: queries === 0 ? null : answers / queries,
    since: first < START ? null : (points[first]?.at ?? null),
  };
}
