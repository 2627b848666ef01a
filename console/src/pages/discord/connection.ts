import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { RaRecord } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";
import { nextCursor } from "../../api/lists";
import { useRead } from "../../api/useRead";
import { type Connection, readConnection, withTag } from "./read";

export type { Connection };

export type Problem = NonNullable<Connection["error"]>;
export type Findings = Schemas["DiscordFindings"];
export type Pair = Schemas["DiscordRoleMapping"];
export type ServerRole = Schemas["DiscordServerRole"];
export type Member = Schemas["DiscordMemberItem"];
export type MemberState = Member["state"];
export type Change = Schemas["DiscordMemberChange"];

/** Those that need somebody come first. */
export const MEMBER_STATES = ["failed", "not_a_member", "pending", "ok"] as const;

/** How often it is read whether a check in the background has ended. */
const SOON_MS = 2000;
const AWAITED_MS = 5000;
const REFRESH_MS = 30_000;

/** The connection; null if there is none. */
export function useConnection() {
  return useQuery({
    queryKey: ["discord", "connection"],
    queryFn: readConnection,
    // No event tells of what is found in the background.
    refetchInterval: ({ state }) =>
      state.data?.active === true && state.data.checked_at === null ? SOON_MS : REFRESH_MS,
  });
}

/** All pairs, as a record that can be edited. */
export type Pairs = RaRecord<number> & { mappings: Pair[]; [ETAG]?: string };

export async function readPairs(): Promise<Pairs> {
  const { data, response } = await api.GET("/api/discord/roles");
  return withTag({ id: 1, mappings: data?.mappings ?? [] }, response);
}

export function usePairs() {
  return useQuery({ queryKey: ["discord", "pairs"], queryFn: readPairs });
}

/** The roles of the server. Each time they are read, Discord is asked. */
export function useServerRoles(isAsked: boolean) {
  return useRead(["discord", "server roles"], () => api.GET("/api/discord/guild-roles"), {
    select: ({ guild_roles }) => guild_roles,
    enabled: isAsked,
    staleTime: 60_000,
    retry: false,
  });
}

const PER_PAGE = 25;

/** Members in one state, or all of them, one part after the other. */
export function useMembers(state: MemberState | undefined) {
  return useInfiniteQuery({
    queryKey: ["discord", "members", state],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const { data, response } = await api.GET("/api/discord/members", {
        params: {
          query: {
            ...(state !== undefined && { state }),
            per_page: PER_PAGE,
            ...(pageParam !== null && { after: pageParam }),
          },
        },
      });
      return {
        members: data?.members ?? [],
        next: nextCursor(response.headers.get("Link")),
        total: Number(response.headers.get("X-Total-Count") ?? 0),
        isTotalExact: response.headers.get("X-Total-Count-Relation") !== "at-least",
      };
    },
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    // No event tells of a visit, or of who was found after the server was connected.
    refetchInterval: ({ state: { data } }) => {
      const members = data?.pages.flatMap((page) => page.members) ?? [];
      const isAwaited = members.length === 0 || members.some((one) => one.state === "pending");
      return isAwaited ? AWAITED_MS : REFRESH_MS;
    },
  });
}

/** The member with this id, which is the first one after the id before it. */
export async function readMember(id: string): Promise<Member | null> {
  const query = { after: String(BigInt(id) - 1n), per_page: 1 };
  const { members } = await body(api.GET("/api/discord/members", { params: { query } }));
  return members.find(({ discord_id }) => discord_id === id) ?? null;
}
