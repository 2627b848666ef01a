import type { Steward } from "./support";

export interface Ban {
  id: number;
  kind: string;
  steam_id64: string | null;
  ip_range: string | null;
  user_id: number | null;
  player_name: string;
  server_ids: number[];
  reason: string;
  evidence: string[];
  created_at: string;
  expires_at: string | null;
  state: string;
  lift_reason: string | null;
}

/** A ban of a SteamID that no other test uses. */
export function newBan(steward: Steward, changes: Record<string, unknown> = {}) {
  return {
    kind: "ban",
    steam_id64: newSteamId(steward).id64,
    player_name: steward.unique("Player"),
    reason: "Cheating",
    seconds: 86_400,
    evidence: ["https://example.com/recording"],
    ...changes,
  };
}

const ACCOUNT_0 = 76_561_197_960_265_728n;

/** An account that no other test uses, in two spellings. */
export function newSteamId(steward: Steward): { id64: string; id2: string } {
  const account = BigInt(steward.unique("1000").replace("-", ""));
  return { id64: String(ACCOUNT_0 + account), id2: `STEAM_0:${account % 2n}:${account / 2n}` };
}

export async function addBan(steward: Steward, changes: Record<string, unknown> = {}) {
  const body = newBan(steward, changes);
  return (await steward.api<{ ban: Ban }>("POST", "/api/bans", body)).ban;
}

/** Links a Steam profile to a user, as a sign-in with Steam does. */
export async function linkSteam(steward: Steward, userId: number, steamId: string) {
  const link = { network_id: 1, profile_url: steamId };
  await steward.api("POST", `/api/users/${userId}/social-networks`, link);
}

/** The newest ban that matches a filter. */
export async function findBan(steward: Steward, filter: string): Promise<Ban> {
  const { bans } = await steward.read<{ bans: Ban[] }>(`/api/bans?${filter}`);
  const [ban] = bans;
  if (ban === undefined) {
    throw new Error(`there is no ban with ${filter}`);
  }
  return ban;
}
