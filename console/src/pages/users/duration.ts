import { moment } from "../../api/moment";

/** How long a block lasts. */
export const DURATIONS = ["day", "week", "month"] as const;
export type Duration = (typeof DURATIONS)[number];

const DAY_MS = 86_400_000;

/** The moment after this long, as the API writes it. */
export function after(duration: Duration, now: Date): string {
  switch (duration) {
    case "day":
      return moment(new Date(now.getTime() + DAY_MS));
    case "week":
      return moment(new Date(now.getTime() + 7 * DAY_MS));
    case "month":
      return moment(nextMonth(now));
  }
}

/** The same day of the next month, or its last day if it is shorter. */
function nextMonth(now: Date): Date {
  const next = new Date(now);
  next.setUTCMonth(now.getUTCMonth() + 1);
  if (next.getUTCDate() !== now.getUTCDate()) {
    next.setUTCDate(0);
  }
  return next;
}
