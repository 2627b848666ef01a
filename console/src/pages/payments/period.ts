const DAY_MS = 86_400_000;

/** The lengths that are offered, in days. */
export const LENGTHS = [7, 30, 90, 365] as const;
export type Length = (typeof LENGTHS)[number];
const USUAL: Length = 30;

/** A day as the service writes it. Days are those of UTC. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A period with both ends, in days of UTC. */
export interface Days {
  from: string;
  to: string;
}

export interface Chosen extends Days {
  /** The length that was chosen; null if both ends were. */
  length: number | null;
}

/** The period in the address: `days=90`, or `from` and `to`. */
export function periodIn(search: URLSearchParams, now: number): Chosen {
  const from = search.get("from") ?? "";
  const to = search.get("to") ?? "";
  if (isDay(from) && isDay(to) && from <= to) {
    return { from, to, length: null };
  }
  const length = lengthIn(search);
  return { ...lastDays(length, now), length };
}

/** The length in the address: `days=90`. */
export function lengthIn(search: URLSearchParams): Length {
  const wanted = Number(search.get("days"));
  return LENGTHS.find((known) => known === wanted) ?? USUAL;
}

/** The last days, today included. */
export function lastDays(length: Length, now: number): Days {
  const today = dayOf(now);
  return { from: shift(today, 1 - length), to: today };
}

/** The period of the same length before. */
export function before({ from, to }: Days): Days {
  const length = daysOf({ from, to }).length;
  return { from: shift(from, -length), to: shift(from, -1) };
}

/** Every day of a period. */
export function daysOf({ from, to }: Days): string[] {
  const length = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length }, (_, day) => shift(from, day));
}

/** One value for each day; days without invoices have none in the reply. */
export function valuesOf(period: Days, byDay: { date: string; amount: number }[]): number[] {
  const amounts = new Map(byDay.map(({ date, amount }) => [date, amount]));
  return daysOf(period).map((day) => amounts.get(day) ?? 0);
}

export function secondsOf(day: string): number {
  return Date.parse(day) / 1000;
}

export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function shift(day: string, days: number): string {
  return dayOf(Date.parse(day) + days * DAY_MS);
}

function isDay(text: string): boolean {
  return DAY.test(text) && !Number.isNaN(Date.parse(text));
}

/** How much more there is than before, as a part: 0.25 for a quarter. Null if there was nothing. */
export function growth(now: number, before: number): number | null {
  return before === 0 ? null : now / before - 1;
}
