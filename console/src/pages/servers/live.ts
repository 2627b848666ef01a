import { useQuery } from "@tanstack/react-query";
import type { RaRecord } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import type { Tone } from "../../components/text";
import type { TextKey } from "../../i18n";

export type Live = Schemas["ServerLiveStatus"];
export type ServerRow = Schemas["ServerItem"] & RaRecord<number>;
export type Server = Schemas["ServerDetail"] & RaRecord<number>;

/** How the API shows a password that it never shows. */
export const MASK = "********";

const LIVE_REFRESH_MS = 15_000;

export function liveKey(id: number) {
  return ["servers", id, "live"];
}

/** What a server last answered, read again every 15 seconds while it is on the screen. */
export function useLive(id: number) {
  return useQuery({
    queryKey: liveKey(id),
    queryFn: async () =>
      (await body(api.GET("/api/servers/{id}/live", { params: { path: { id } } }))).live,
    refetchInterval: LIVE_REFRESH_MS,
  });
}

/** How often a chart is read again. */
const HISTORY_REFRESH_MS = 5 * 60_000;

/** How many players a server had, from `length` seconds ago until now. */
export function useHistory(id: number, { length, step }: { length: number; step: number }) {
  return useQuery({
    queryKey: ["servers", id, "history", length, step],
    queryFn: async () => {
      const from = new Date(Date.now() - length * 1000).toISOString();
      const params = { path: { id }, query: { from, step } };
      return (await body(api.GET("/api/servers/{id}/history", { params }))).history;
    },
    refetchInterval: HISTORY_REFRESH_MS,
    staleTime: HISTORY_REFRESH_MS / 2,
  });
}

/** Why a server did not answer, in the words of the API. */
const REASONS = ["timeout", "refused", "protocol", "forbidden", "disabled"] as const;

type Reason = (typeof REASONS)[number];

export function reasonOf(live: Live): Reason | null {
  return REASONS.find((reason) => reason === live.error) ?? null;
}

/** The state of a server as a word with a colour. */
export function statusOf(live: Live, isEnabled: boolean): { tone: Tone; text: TextKey } {
  if (!isEnabled) {
    return { tone: "neutral", text: "servers.state.disabled" };
  }
  if (live.reachable) {
    return { tone: "good", text: "servers.state.online" };
  }
  const reason = reasonOf(live);
  if (reason === "disabled") {
    return { tone: "neutral", text: "servers.state.notQueried" };
  }
  if (reason === null) {
    return { tone: "neutral", text: "servers.state.waiting" };
  }
  return { tone: "bad", text: "servers.state.offline" };
}
