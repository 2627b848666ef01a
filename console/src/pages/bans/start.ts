import { moment } from "../../api/moment";
import { steamId } from "../../api/profiles";
import type { Values } from "../../components/form/conflict";
import { type BanKind, KINDS } from "./ban";
import { queryOf } from "./subject";

/** How a player is named. An address may be given beside, or alone. */
export const WAYS = ["steam", "user"] as const;
export type Way = (typeof WAYS)[number];

/** What the form of a new ban begins with; the rest is chosen there. */
export interface Start {
  /** A SteamID in any spelling, or an address. */
  q?: string | undefined;
  user_id?: number | undefined;
  player_name?: string | undefined;
  kind?: BanKind | undefined;
  server_id?: number | undefined;
}

/** The address of the form, with what it begins with. */
export function createPath({ q, user_id, player_name, kind, server_id }: Start): string {
  const given = Object.entries({ q, user_id, player_name, kind, server_id })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
  const search = new URLSearchParams(given).toString();
  return search === "" ? "/bans/create" : `/bans/create?${search}`;
}

/** The lengths at one click, in seconds. */
export const LENGTHS = [3600, 86_400, 7 * 86_400, 30 * 86_400] as const;

/** The usual length. A ban without an end has to be chosen. */
export const USUAL_SECONDS = 7 * 86_400;

/** The moment so many seconds later, as the API writes it. */
export function after(seconds: number, now: Date): string {
  return moment(new Date(now.getTime() + seconds * 1000));
}

/** The values that the form begins with, from its address. */
export function startOf(search: URLSearchParams): Values {
  const q = search.get("q") ?? "";
  const number = (name: string) => {
    const value = search.get(name) ?? "";
    return /^\d{1,15}$/.test(value) ? Number(value) : null;
  };
  const query = queryOf(q);
  const user = number("user_id");
  const server = number("server_id");
  const way: Way = user !== null ? "user" : "steam";
  const isAddress = query !== null && "ip" in query;
  return {
    way,
    steam_id64: way === "steam" && !isAddress ? q : "",
    ip_range: isAddress ? q : "",
    user_id: user,
    player_name: search.get("player_name") ?? "",
    kind: KINDS.find((kind) => kind === search.get("kind")) ?? "ban",
    reason: "",
    length: USUAL_SECONDS,
    expires_at: after(USUAL_SECONDS, new Date()),
    server_ids: server === null ? [] : [server],
    note: "",
    evidence: [],
    kick: true,
  };
}

/** The request for the values of the form. What is missing is refused by the service. */
export function newBan(values: Values): Values {
  const { way, steam_id64, ip_range, user_id, length, expires_at, kick, ...rest } = values;
  const steam = textOf(steam_id64);
  const address = textOf(ip_range);
  return {
    ...rest,
    ...(way === "steam" && steam !== "" && { steam_id64: steamId(steam) ?? steam }),
    ...(way === "user" && { user_id }),
    ...(address !== "" && { ip_range: address }),
    // A length counts from now, and not from when it was chosen.
    ...(typeof length === "number" ? { seconds: length } : { expires_at: expires_at ?? null }),
    ...(canKick(values) && { kick: kick === true }),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Whether the form names no player but an address. Such a ban must end within a year. */
export function isAddressAlone({ way, steam_id64, ip_range, user_id }: Values): boolean {
  const isNamed = way === "user" ? typeof user_id === "number" : textOf(steam_id64) !== "";
  return !isNamed && textOf(ip_range) !== "";
}

/** Whether the player is removed from the servers. An address alone names nobody who plays. */
export function canKick(values: Values): boolean {
  return values["kind"] === "ban" && !isAddressAlone(values);
}
