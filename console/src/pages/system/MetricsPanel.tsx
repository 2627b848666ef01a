import { Alert, Box, Skeleton, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { ApiError } from "../../api/error";
import { Chart, type Series } from "../../components/Chart";
import { FactGrid } from "../../components/Facts";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { useFormat, useText } from "../../i18n";
import { type Snapshot, snapshot, type Step, step } from "./metrics";

const HEIGHT = 150;

/** What the service does at the moment: the metrics that people ask for first. */
export function MetricsPanel() {
  const t = useText();
  const metrics = useMetrics();
  const isElsewhere = metrics.error instanceof ApiError && metrics.error.status < 500;
  return (
    <Panel title={t("system.metrics.title")} hint={t("system.metrics.hint")}>
      {isElsewhere ? (
        <Alert severity="info">{t("system.metrics.elsewhere")}</Alert>
      ) : (
        <Loaded query={metrics} height={420}>
          {(snapshots) => <Metrics snapshots={snapshots} />}
        </Loaded>
      )}
    </Panel>
  );
}

function Metrics({ snapshots }: { snapshots: Snapshot[] }) {
  const t = useText();
  const format = useFormat();
  const steps = snapshots.slice(1).flatMap((now, index) => {
    const before = snapshots[index];
    return before === undefined ? [] : [step(before, now)];
  });
  const now = snapshots.at(-1);
  const rate = (value: number) =>
    t("system.metrics.perSecond", { number: format.number(value, { maximumFractionDigits: 1 }) });
  const milliseconds = (value: number) =>
    format.number(value, { style: "unit", unit: "millisecond", maximumFractionDigits: 1 });
  const inMs = (seconds: number | null) => (seconds === null ? null : seconds * 1000);
  const series = (label: string, of: (one: Step) => number | null, look?: Series["look"]) => ({
    label,
    values: steps.map(of),
    ...(look !== undefined && { look }),
  });
  const shared = { times: steps.map(({ at }) => Math.round(at)), height: HEIGHT };
  return (
    <>
      <Box
        sx={{
          display: "grid",
          gap: 3,
          gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "repeat(2, minmax(0, 1fr))" },
        }}
      >
        <SmallChart
          {...shared}
          label={t("system.metrics.requests")}
          value={rate}
          series={[
            series(t("system.metrics.all"), (one) => one.requestsPerSecond, "area"),
            series(t("system.metrics.errors"), (one) => one.errorsPerSecond),
          ]}
        />
        <SmallChart
          {...shared}
          label={t("system.metrics.latency")}
          value={milliseconds}
          series={[
            series(t("system.metrics.p50"), (one) => inMs(one.p50)),
            series(t("system.metrics.p95"), (one) => inMs(one.p95)),
          ]}
        />
        <SmallChart
          {...shared}
          label={t("system.metrics.statements")}
          value={rate}
          series={[series(t("system.metrics.all"), (one) => one.statementsPerSecond, "area")]}
        />
        <SmallChart
          {...shared}
          label={t("system.metrics.connections")}
          value={(value) => format.number(value, { maximumFractionDigits: 0 })}
          series={[series(t("system.metrics.all"), (one) => one.connections, "area")]}
        />
      </Box>
      {now !== undefined && <Totals now={now} last={steps.at(-1)} milliseconds={milliseconds} />}
    </>
  );
}

/** A chart with a title. A line needs two steps, so there is nothing to draw in the first seconds. */
function SmallChart(props: ComponentProps<typeof Chart>) {
  return (
    <div>
      <Typography variant="h3" gutterBottom>
        {props.label}
      </Typography>
      {props.times.length > 1 ? (
        <Chart {...props} />
      ) : (
        <Skeleton variant="rounded" height={HEIGHT} aria-busy />
      )}
    </div>
  );
}

interface TotalsProps {
  now: Snapshot;
  last: Step | undefined;
  milliseconds: (value: number) => string;
}

function Totals({ now, last, milliseconds }: TotalsProps) {
  const t = useText();
  const format = useFormat();
  const count = (value: number) => format.number(value);
  const took = last?.statementSeconds ?? null;
  return (
    <Box sx={{ mt: 3 }}>
      <FactGrid
        facts={[
          [t("system.metrics.requestsSinceStart"), count(now.requests)],
          [t("system.metrics.errorsSinceStart"), count(now.errors)],
          [t("system.metrics.statementTime"), took === null ? "–" : milliseconds(took * 1000)],
          [t("system.metrics.waiting"), count(now.waiting)],
          ...(now.logBytes === null
            ? []
            : [[t("system.metrics.logBytes"), format.bytes(now.logBytes)] as const]),
          ...(now.poolConnections === null
            ? []
            : [[t("system.metrics.pool"), count(now.poolConnections)] as const]),
          [
            t("system.metrics.webhooks"),
            t("system.metrics.webhookAttempts", {
              delivered: count(now.delivered),
              failed: count(now.undelivered),
            }),
          ],
          [
            t("system.metrics.servers"),
            t("system.metrics.serversAnswer", {
              reachable: count(now.serversReachable),
              all: count(now.servers),
            }),
          ],
          [t("system.metrics.wrongKeys"), count(now.wrongKeys)],
        ]}
      />
    </Box>
  );
}

const KEY = ["metrics"];
const EVERY_MS = 10_000;
/** A line needs three snapshots, so the first ones come sooner. */
const SOON_MS = 2000;
/** An hour. */
const KEPT = 360;

/** The metrics since the page was opened, a snapshot every ten seconds. */
export function useMetrics() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ client }): Promise<Snapshot[]> => {
      const response = await fetch("/metrics");
      if (!response.ok) {
        throw await ApiError.from(response);
      }
      const next = snapshot(await response.text(), Date.now() / 1000);
      return [...(client.getQueryData<Snapshot[]>(KEY) ?? []), next].slice(-KEPT);
    },
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) < 3 ? SOON_MS : EVERY_MS),
    refetchOnWindowFocus: false,
    gcTime: 0,
    retry: false,
  });
}
