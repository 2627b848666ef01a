/** A moment as the service writes it: in UTC, to the second. */
export function moment(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`;
}

/** What a field of the browser gives, in the reader's time zone, as the service writes it. */
export function parseMoment(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : moment(at);
}

/** `2026-03-01T12:00:00Z` as a field of the browser wants it: `2026-03-01T15:00` in Moscow. */
export function localMoment(at: string): string {
  const date = new Date(at);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(date.getTime()) ? "" : shifted.toISOString().slice(0, 16);
}
