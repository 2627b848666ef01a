import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { State } from "../../components/State";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import type { Webhook } from "./types";
import { stateOf, useHealth } from "./useHealth";

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
