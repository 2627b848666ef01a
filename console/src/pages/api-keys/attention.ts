import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";

/** One key, with the entity tag of the version that is shown. */
export type ApiKey = Schemas["ApiKeyDetail"] & { [ETAG]?: string };

type Key = Pick<Schemas["ApiKeyItem"], "active" | "created_at">;
type Use = Pick<Schemas["ApiKeyRestrictions"], "expires_at" | "last_used_at">;

const DAY_MS = 86_400_000;
/** Time enough to create another key and to switch programs over. */
const SOON_DAYS = 14;
/** A key that nothing used for so long is likely forgotten. */
const UNUSED_DAYS = 90;
/** A new key does not count as unused: its program may not be set up yet. */
const NEW_DAYS = 7;

export type KeyState = "active" | "inactive" | "expired" | "expiresSoon" | "unused";

/** What stands out about a key; the most urgent of it. */
export function stateOf(key: Key, use: Use | undefined, now: number = Date.now()): KeyState {
  const days = (at: string) => (new Date(at).getTime() - now) / DAY_MS;
  if (use?.expires_at && days(use.expires_at) <= 0) {
    return "expired";
  }
  if (!key.active) {
    return "inactive";
  }
  if (use?.expires_at && days(use.expires_at) <= SOON_DAYS) {
    return "expiresSoon";
  }
  if (use !== undefined) {
    const isUnused =
      use.last_used_at === null
        ? days(key.created_at) < -NEW_DAYS
        : days(use.last_used_at) < -UNUSED_DAYS;
    if (isUnused) {
      return "unused";
    }
  }
  return "active";
}

export function isFuture(at: string | null): at is string {
  return at !== null && Date.parse(at) > Date.now();
}

/** So many days from now. */
export function inDays(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
