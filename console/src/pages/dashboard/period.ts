/** The lengths that the dashboard offers, in days. */
export const LENGTHS = [7, 30, 90, 365] as const;

export type Length = (typeof LENGTHS)[number];

/** Days in UTC, as statistics use them: `2026-03-01`. Both ends are included. */
export interface Period {
  start: string;
  end: string;
}

const DAY_MS = 86_400_000;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const msOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** The last days, today included, and as many days before them. */
export function periods(length: Length, now: number): { current: Period; previous: Period } {
  const ago = (days: number) => dayOf(now - days * DAY_MS);
  return {
    current: { start: ago(length - 1), end: ago(0) },
    previous: { start: ago(2 * length - 1), end: ago(length) },
  };
}

/** Every day of a period. */
export function daysOf({ start, end }: Period): string[] {
  const count = (msOf(end) - msOf(start)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, index) => dayOf(msOf(start) + index * DAY_MS));
}

/** How much more there is than before, as a part: 0.25 for a quarter. Null if there was nothing. */
export function growth(now: number, before: number): number | null {
  return before === 0 ? null : (now - before) / before;
}
