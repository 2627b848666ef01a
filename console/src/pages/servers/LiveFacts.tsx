import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import type { Live } from "./types";

/** What a server says about itself. */
export function LiveFacts({ live }: { live: Live }) {
  const t = useText();
  const format = useFormat();
  const unknown = "–";
  const facts: [string, ReactNode][] = [
    [
      t("servers.fields.players"),
      `${format.number(live.players_online)} / ${format.number(live.max_players)}`,
    ],
    [t("servers.fields.map"), live.map === "" ? unknown : live.map],
    [
      t("servers.fields.latency"),
      live.latency_ms === null
        ? unknown
        : t("servers.milliseconds", { value: format.number(live.latency_ms) }),
    ],
    [t("servers.fields.reportedName"), live.name ?? unknown],
    [t("servers.fields.version"), live.version ?? unknown],
    [t("servers.fields.checked"), <When key="checked" at={live.checked_at} />],
  ];
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: "grid",
        gap: 2,
        gridTemplateColumns: "repeat(auto-fill, minmax(150px, 1fr))",
      }}
    >
      {facts.map(([label, value]) => (
        <Box key={label} sx={{ minWidth: 0 }}>
          <Box component="dt" sx={{ color: "text.secondary", fontSize: 13 }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, fontWeight: 600, overflowWrap: "anywhere" }}>
            {value}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
