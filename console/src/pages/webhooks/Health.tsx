import { Box, Skeleton } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { State, type Tone } from "../../components/text";
import { type TextKey, useFormat, useText } from "../../i18n";
import type { DeliveryState, Webhook } from "./types";

export function StateCell({ webhook: { id, active } }: { webhook: Webhook }) {
  const t = useText();
  const { data, isPending } = useHealth(id);
  if (isPending) {
    return <Skeleton width={72} />;
  }
  const { tone, text } = stateOf(active, data ?? { failed: 0, waiting: 0, isRetrying: false });
  return <State tone={tone} text={t(text)} />;
}

export function CountCell({ id, of }: { id: number; of: "failed" | "waiting" }) {
  const format = useFormat();
  const { data, isPending } = useHealth(id);
  if (isPending) {
    return <Skeleton width={32} />;
  }
  const count = data?.[of] ?? 0;
  const isBad = of === "failed" && count > 0;
  return (
    <Box
      component="span"
      sx={isBad ? { color: "error.main", fontWeight: 600 } : { color: "text.secondary" }}
    >
      {format.number(count)}
    </Box>
  );
}

const REFRESH_MS = 30_000;

interface Health {
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
function useHealth(id: number) {
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
function stateOf(isActive: boolean, health: Health): { tone: Tone; text: TextKey } {
  if (!isActive) {
    return { tone: "neutral", text: "webhooks.state.off" };
  }
  return health.isRetrying
    ? { tone: "bad", text: "webhooks.state.failing" }
    : { tone: "good", text: "webhooks.state.on" };
}
