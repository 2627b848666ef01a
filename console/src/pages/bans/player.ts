import { useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";
import { steamId } from "../../api/profiles";
import { useRead } from "../../api/useRead";
import { useCan } from "../../session/session";
import type { Ban, BanState } from "./ban";

/** What is known about a player. A ban that has any of it is theirs. */
export interface Player {
  steam_id64?: string | null;
  /** An address, or a range of which the first address counts. */
  ip_range?: string | null;
  user_id?: number | null;
}

interface Wanted {
  count: number;
  state?: BanState;
}

/** The bans of a player, newest first. */
export async function readBansOf(player: Player, { count, state }: Wanted): Promise<Ban[]> {
  const { steam_id64: steam, ip_range: range, user_id: user } = player;
  const queries = [
    steam ? { steam_id64: steam } : null,
    range ? { ip: range.replace(/\/.*/, "") } : null,
    user ? { user_id: user } : null,
  ].filter((query) => query !== null);
  const replies = await Promise.all(
    queries.map((one) => {
      const query = { ...one, per_page: count, ...(state !== undefined && { state }) };
      return body(api.GET("/api/bans", { params: { query } }));
    }),
  );
  const found = new Map(replies.flatMap(({ bans }) => bans).map((ban) => [ban.id, ban]));
  return [...found.values()].sort((a, b) => b.id - a.id).slice(0, count);
}

/** More than a person reads. */
const MOST_ACTIVE = 20;

/** The bans of a player that are in force. */
export function useActiveBans(player: Player, enabled = true): Ban[] {
  const mayRead = useCan("admin.bans.read");
  const isKnown = Object.values(player).some(Boolean);
  const { data } = useQuery({
    queryKey: ["bans", "active", player],
    queryFn: () => readBansOf(player, { count: MOST_ACTIVE, state: "active" }),
    enabled: enabled && mayRead && isKnown,
    retry: false,
  });
  return isKnown ? (data ?? []) : [];
}

/**
 * The SteamID64 of a user: of the profile that they have linked, or else of the first that they sign
 * in with. Undefined until it is known.
 */
export function useSteamOf(userId: number | null): string | null | undefined {
  const mayRead = useCan("admin.users.read");
  const params = { path: { id: userId ?? 0 } };
  const enabled = mayRead && userId !== null;
  const links = useRead(
    ["users", userId, "social-networks", "steam"],
    () => api.GET("/api/users/{id}/social-networks", { params }),
    { enabled },
  );
  const linked = links.data && steamOf(links.data.social_networks);
  const verified = useRead(
    ["users", userId, "identities", "steam"],
    () => api.GET("/api/users/{id}/identities", { params }),
    { enabled: enabled && linked === null },
  );
  if (!enabled) {
    return null;
  }
  return linked === null ? verified.data && verifiedSteam(verified.data.identities) : linked;
}

function verifiedSteam(identities: Schemas["IdentityItem"][]): string | null {
  return identities.find(({ provider }) => provider === "steam")?.subject ?? null;
}

export function steamOf(links: { network: string; profile_url: string }[]): string | null {
  return steamId(links.find(({ network }) => network === "steam")?.profile_url ?? "");
}
