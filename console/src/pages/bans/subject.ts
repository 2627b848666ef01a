import { steamId } from "../../api/profiles";
import type { Ban } from "./ban";

/** An IPv4 or IPv6 address, maybe with the length of a prefix. The service checks the rest. */
const ADDRESS = /^(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*)(?:\/\d{1,3})?$/i;

/** The filters that a text stands for: a SteamID in any spelling, or an address. */
export type SubjectQuery = { steam_id64: string } | { ip: string };

/** What a text asks for; null if it names neither. A range asks for its first address. */
export function queryOf(text: string): SubjectQuery | null {
  const steam = steamId(text);
  if (steam !== null) {
    return { steam_id64: steam };
  }
  const word = text.trim();
  return ADDRESS.test(word) ? { ip: word.replace(/\/.*/, "") } : null;
}

/** Whether a text can only be the name of a user: it is neither a SteamID nor an address. */
export function isName(text: string | undefined): text is string {
  return text !== undefined && queryOf(text) === null;
}

/** By what a ban names the player. */
export type Named = Pick<Ban, "steam_id64" | "user_id">;

/** The SteamIDs of bans that name no user themselves, each once. */
export function unnamed(bans: readonly Named[]): string[] {
  const ids = bans.flatMap(({ steam_id64: steam, user_id: userId }) =>
    steam !== null && userId === null ? [steam] : [],
  );
  return [...new Set(ids)];
}
