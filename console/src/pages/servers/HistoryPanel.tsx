import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import { useSearchParams } from "react-router";
import { Chart } from "../../components/Chart";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { TIME_ZONE, useFormat } from "../../i18n/format";
import { isPeriod, type Period, PERIODS, summarize } from "./history";
import { useHistory } from "./useHistory";

const HEIGHT = 260;

/** How many players a server had. The period is in the address. */
export function HistoryPanel({ id }: { id: number }) {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const wanted = search.get("period");
  const period = isPeriod(wanted) ? wanted : "24h";
  const choose = (next: Period) =>
    setSearch(
      (old) => {
        old.set("period", next);
        return old;
      },
      { replace: true },
    );

  return (
    <Panel
      title={t("servers.history.title")}
      hint={t("common.timeZone", { zone: TIME_ZONE })}
      actions={
        <ToggleButtonGroup
          exclusive
          size="small"
          value={period}
          aria-label={t("servers.history.period")}
          onChange={(_, next: Period | null) => next !== null && choose(next)}
        >
          {(Object.keys(PERIODS) as Period[]).map((name) => (
            <ToggleButton key={name} value={name} sx={{ px: 1.25, textTransform: "none" }}>
              {t(`servers.history.periods.${name}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      <History id={id} period={period} />
    </Panel>
  );
}

function History({ id, period }: { id: number; period: Period }) {
  const t = useText();
  const format = useFormat();
  const errorText = useErrorText();
  const { data, error } = useHistory(id, PERIODS[period]);
  if (data === undefined) {
    return error === null ? (
      <Skeleton variant="rounded" height={HEIGHT + 72} />
    ) : (
      <Alert severity="error">{errorText(error)}</Alert>
    );
  }
  const { average, most, answered } = summarize(data);
  if (answered === null) {
    return (
      <Box sx={{ minHeight: HEIGHT + 72, display: "grid", placeItems: "center" }}>
        <Typography color="textSecondary">{t("servers.history.none")}</Typography>
      </Box>
    );
  }
  const players = (value: number) => format.number(value, { maximumFractionDigits: 1 });
  const figures = [
    [t("servers.history.average"), average === null ? "–" : players(average)],
    [t("servers.history.most"), most === null ? "–" : players(most)],
    [
      t("servers.history.answered"),
      format.number(answered, { style: "percent", maximumFractionDigits: 1 }),
    ],
  ];
  return (
    <>
      <Box component="dl" sx={{ m: 0, mb: 2, display: "flex", flexWrap: "wrap", columnGap: 4 }}>
        {figures.map(([label, value]) => (
          <Box key={label}>
            <Box component="dt" sx={{ color: "text.secondary", fontSize: 13 }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, fontSize: 20, fontWeight: 650 }}>
              {value}
            </Box>
          </Box>
        ))}
      </Box>
      {/* The hidden table of the chart must not make the page wider than a phone. */}
      <Box sx={{ position: "relative", overflowX: "clip" }}>
        <Chart
          label={t("servers.history.title")}
          height={HEIGHT}
          times={data.map(({ at }) => new Date(at).getTime() / 1000)}
          series={[
            {
              label: t("servers.history.average"),
              values: data.map(({ players_avg }) => players_avg),
              look: "area",
            },
            {
              label: t("servers.history.most"),
              values: data.map(({ players_max }) => players_max),
            },
          ]}
          value={players}
        />
      </Box>
    </>
  );
}
