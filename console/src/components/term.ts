import type { Format } from "../i18n/format";
import type { Translate } from "../i18n";

const DAY_MS = 86_400_000;
/** Time enough to ask the user whether they want to keep the role. */
const SOON_MS = 3 * DAY_MS;

/** Whether a role expires so soon that it should stand out. */
export function isSoon(expiresAt: string, now: number): boolean {
  return Date.parse(expiresAt) - now < SOON_MS;
}

/** How long a role is held: `until 3 December (12 days)`. On the last day also the hour. */
export function termText(t: Translate, format: Format, expiresAt: string, now: number): string {
  const end = new Date(expiresAt);
  const left = end.getTime() - now;
  const day = dayOf(format, end, now, "long", left < DAY_MS);
  const values = { day, left: format.left(left / 1000) };
  return t(isSoon(expiresAt, now) ? "roles.term.soon" : "roles.term.until", values);
}

/** The same in few words, for tables: `until 3 Dec`. What expires soon says when. */
export function shortTermText(
  t: Translate,
  format: Format,
  expiresAt: string,
  now: number,
): string {
  const end = new Date(expiresAt);
  return isSoon(expiresAt, now)
    ? t("roles.term.soonShort", { when: format.relative(expiresAt, now) })
    : t("roles.term.untilShort", { day: dayOf(format, end, now, "short") });
}

/** A day, with its year only if that is another one, and with the hour if it is wanted. */
function dayOf(format: Format, at: Date, now: number, month: "short" | "long", hour = false) {
  const isThisYear = at.getFullYear() === new Date(now).getFullYear();
  return format.date(at, {
    day: "numeric",
    month,
    ...(!isThisYear && { year: "numeric" }),
    ...(hour && { hour: "2-digit", minute: "2-digit" }),
  });
}
