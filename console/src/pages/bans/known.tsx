import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { api, body } from "../../api/client";
import { useCan } from "../../session/session";
import { type Named, unnamed } from "./subject";

/** A user who has linked the SteamID of a ban. */
export interface KnownUser {
  id: number;
  username: string;
}

type KnownUsers = ReadonlyMap<string, KnownUser>;

const Known = createContext<KnownUsers>(new Map());

/** The most profiles that one request may ask for. */
const MOST = 100;

async function readUsers(steamIds: string[]): Promise<KnownUsers> {
  const parts = Array.from({ length: Math.ceil(steamIds.length / MOST) }, (_, part) =>
    steamIds.slice(part * MOST, (part + 1) * MOST),
  );
  const replies = await Promise.all(
    parts.map((values) =>
      body(api.POST("/api/users/lookup", { body: { network: "steam", values } })),
    ),
  );
  return new Map(
    replies
      .flatMap(({ users }) => users)
      .flatMap(({ value, user }) =>
        user === null ? [] : [[value, { id: user.id, username: user.username }] as const],
      ),
  );
}

/** Looks up, in one request, the users to whom the SteamIDs of these bans belong. */
export function KnowUsers({ bans, children }: { bans: readonly Named[]; children: ReactNode }) {
  const mayRead = useCan("admin.users.read");
  const steamIds = unnamed(bans);
  const { data } = useQuery({
    queryKey: ["users", "of SteamIDs", steamIds],
    queryFn: () => readUsers(steamIds),
    enabled: mayRead && steamIds.length > 0,
    // More bans of the same list: the names of the others stay.
    placeholderData: (previous) => previous,
    retry: false,
  });
  return data === undefined ? children : <Known value={data}>{children}</Known>;
}

/** The user with the SteamID of a ban that names no user itself. */
export function useKnownUser({ steam_id64: steam, user_id: userId }: Named): KnownUser | null {
  const known = useContext(Known);
  return steam === null || userId !== null ? null : (known.get(steam) ?? null);
}
