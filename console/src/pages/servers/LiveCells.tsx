import { Box, Skeleton, Tooltip } from "@mui/material";
import type { ReactNode } from "react";
import { Sparkline } from "../../components/Sparkline";
import { State } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { type Live, reasonOf, statusOf, useHistory, useLive } from "./live";

/** A cell that waits for the live status, and is empty where the server did not answer. */
function LiveCell({ id, children }: { id: number; children: (live: Live) => ReactNode }) {
  const { data, isPending } = useLive(id);
  if (isPending) {
    return <Skeleton width={56} />;
  }
  return data?.reachable === true ? children(data) : <Nothing />;
}

function Nothing() {
  return (
    <Box component="span" sx={{ color: "text.secondary" }}>
      –
    </Box>
  );
}

export function StateCell({ id, isEnabled }: { id: number; isEnabled: boolean }) {
  const t = useText();
  const { data, isPending } = useLive(id);
  if (isPending) {
    return <Skeleton width={72} />;
  }
  if (data === undefined) {
    return <Nothing />;
  }
  const { tone, text } = statusOf(data, isEnabled);
  const reason = isEnabled ? reasonOf(data) : null;
  const chip = <State tone={tone} text={t(text)} />;
  return reason === null ? (
    chip
  ) : (
    <Tooltip title={t(`servers.reason.${reason}`)}>
      <Box component="span">{chip}</Box>
    </Tooltip>
  );
}

export function PlayersCell({ id }: { id: number }) {
  const format = useFormat();
  return (
    <LiveCell id={id}>
      {({ players_online, max_players }) => (
        <Box component="span" sx={{ whiteSpace: "nowrap" }}>
          <Box component="span" sx={{ fontWeight: 600 }}>
            {format.number(players_online)}
          </Box>
          <Box component="span" sx={{ color: "text.secondary" }}>
            {` / ${format.number(max_players)}`}
          </Box>
        </Box>
      )}
    </LiveCell>
  );
}

export function MapCell({ id }: { id: number }) {
  return <LiveCell id={id}>{({ map }) => (map === "" ? <Nothing /> : map)}</LiveCell>;
}

export function LatencyCell({ id }: { id: number }) {
  const t = useText();
  const format = useFormat();
  return (
    <LiveCell id={id}>
      {({ latency_ms }) =>
        latency_ms === null ? (
          <Nothing />
        ) : (
          <Box component="span" sx={{ whiteSpace: "nowrap" }}>
            {t("common.milliseconds", { value: format.number(latency_ms) })}
          </Box>
        )
      }
    </LiveCell>
  );
}

const SPARKLINE = { length: 24 * 3600, step: 3600 };

export function HistoryCell({ id }: { id: number }) {
  const t = useText();
  const { data, isPending } = useHistory(id, SPARKLINE);
  if (isPending) {
    return <Skeleton variant="rounded" width={120} height={28} />;
  }
  const values = (data ?? []).map(({ players_max }) => players_max);
  const known = values.filter((value) => value !== null);
  if (known.length === 0) {
    return <Nothing />;
  }
  return (
    <Sparkline
      values={values}
      label={t("servers.sparkline", {
        now: known[known.length - 1] ?? 0,
        most: Math.max(...known),
      })}
    />
  );
}
