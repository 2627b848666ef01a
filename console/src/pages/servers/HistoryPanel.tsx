import { Box, Typography } from "@mui/material";
import { Chart } from "../../components/Chart";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useAddress } from "../../components/useAddress";
import { TIME_ZONE, useFormat, useText } from "../../i18n";
import { isPeriod, type Period, PERIODS, type Point, summarize } from "./history";
import { useHistory } from "./live";

const HEIGHT = 260;

/** How many players a server had. The period is in the address. */
export function HistoryPanel({ id }: { id: number }) {
  const t = useText();
  const [search, change] = useAddress({ replace: true });
  const wanted = search.get("period");
  const period = isPeriod(wanted) ? wanted : "24h";
  const history = useHistory(id, PERIODS[period]);

  return (
    <Panel
      title={t("servers.history.title")}
      hint={t("common.timeZone", { zone: TIME_ZONE })}
      actions={
        <ToggleButtons
          aria-label={t("common.period")}
          value={period}
          options={Object.keys(PERIODS) as Period[]}
          text={(name) => t(`servers.history.periods.${name}`)}
          onChange={(name) => change({ period: name })}
          buttonSx={{ px: 1.25 }}
        />
      }
    >
      <Loaded query={history} height={HEIGHT + 72}>
        {(points) => <History points={points} />}
      </Loaded>
    </Panel>
  );
}

function History({ points }: { points: Point[] }) {
  const t = useText();
  const format = useFormat();
  const { average, most, answered, since } = summarize(points);
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
          times={points.map(({ at }) => new Date(at).getTime() / 1000)}
          series={[
            {
              label: t("servers.history.average"),
              values: points.map(({ players_avg }) => players_avg),
              look: "area",
            },
            {
              label: t("servers.history.most"),
              values: points.map(({ players_max }) => players_max),
            },
          ]}
          value={players}
        />
      </Box>
      {since !== null && (
        <Typography variant="caption" color="textSecondary">
          {t("servers.history.since", { at: format.moment(since) })}
        </Typography>
      )}
    </>
  );
}
