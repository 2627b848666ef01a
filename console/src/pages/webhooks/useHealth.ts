import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import type { Tone } from "../../components/State";
import type { TextKey } from "../../i18n";
import type { DeliveryState } from "./types";

const REFRESH_MS = 30_000;

export interface Health {
  failed: number;
  waiting: number;
  /** An event waits because the receiver refused it at least once. */
  isRetrying: boolean;
}

/** The newest event that waits may not have been tried yet; one of these has, if any fails. */
const LOOKED_AT = 5;

async function newest(id: number, state: DeliveryState, per_page: number) {
  const { data, response } = await api.GET("/api/webhooks/{id}/deliveries", {
    params: { path: { id }, query: { state, per_page } },
  });
  return {
    total: Number(response.headers.get("X-Total-Count") ?? 0),
    deliveries: data?.deliveries ?? [],
  };
}

/** How many deliveries of a webhook failed, and how many wait. */
export function useHealth(id: number) {
  return useQuery({
    queryKey: ["webhooks", id, "health"],
    queryFn: async (): Promise<Health> => {
      const [failed, pending] = await Promise.all([
        newest(id, "failed", 1),
        newest(id, "pending", LOOKED_AT),
      ]);
      return {
        failed: failed.total,
        waiting: pending.total,
        isRetrying: pending.deliveries.some(({ attempts }) => attempts.length > 0),
      };
    },
    refetchInterval: REFRESH_MS,
  });
}

/** The state of a webhook as a word with a colour. */
export function stateOf(isActive: boolean, health: Health): { tone: Tone; text: TextKey } {
  if (!isActive) {
    return { tone: "neutral", text: "webhooks.state.off" };
  }
  return health.isRetrying
    ? { tone: "bad", text: "webhooks.state.failing" }
    : { tone: "good", text: "webhooks.state.on" };
}
