import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import { Box, Card, Skeleton, Stack, TextField } from "@mui/material";
import { useState } from "react";
import { EmptyState } from "../../../components/EmptyState";
import { LoadError } from "../../../components/Loaded";
import { Page, Panel } from "../../../components/Page";
import { ToggleButtons } from "../../../components/ToggleButtons";
import { useAddress } from "../../../components/useAddress";
import { useFormat, useText } from "../../../i18n";
import { DaysChart } from "../DaysChart";
import { before, type Chosen, LENGTHS, periodIn } from "../period";
import { useStatistics } from "../useStatistics";
import { ByCurrency, ByGateway, ByState, Tiles } from "./StatisticsPanels";

/** Payment statistics of one currency in a period. Both are in the address. */
export function StatisticsPage() {
  const t = useText();
  const format = useFormat();
  const [search, change] = useAddress();
  const [now] = useState(Date.now);
  const period = periodIn(search, now);
  const { from, to } = period;
  const current = useStatistics({ from, to });
  const earlier = useStatistics(before(period));

  const currencies = current.data ?? [];
  const wanted = Number(search.get("currency"));
  const shown = currencies.find(({ id }) => id === wanted) ?? currencies[0];
  const compared = earlier.data?.find(({ id }) => id === shown?.id)?.stats;
  return (
    <Page
      title={t("payments.statistics.title")}
      subtitle={t("payments.statistics.subtitle", { days: format.days(from, to) })}
    >
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1.5, mb: 2 }}>
        <PeriodChoice period={period} onChange={change} />
        <Box sx={{ flexGrow: 1 }} />
        {shown !== undefined && (
          // Amounts of different currencies are never added.
          <ToggleButtons
            color="primary"
            aria-label={t("payments.currency")}
            value={shown.id}
            options={currencies.map(({ id }) => id)}
            text={(id) => currencies.find((one) => one.id === id)?.code ?? ""}
            onChange={(id) => change({ currency: id })}
          />
        )}
      </Box>
      {current.error !== null && <LoadError error={current.error} retry={current.refetch} />}
      {current.isPending && <Waiting />}
      {current.data?.length === 0 && (
        <Card>
          <EmptyState
            icon={InsightsOutlined}
            title={t("dashboard.noInvoices")}
            text={t("payments.statistics.emptyText")}
          />
        </Card>
      )}
      {shown !== undefined && (
        <Stack
          sx={{ gap: 2.5, opacity: current.isPlaceholderData ? 0.6 : 1 }}
          aria-busy={current.isPlaceholderData}
        >
          <Tiles of={shown} compared={compared} />
          <Panel title={t("payments.statistics.byDay")} hint={t("payments.statistics.byDayHint")}>
            <DaysChart
              label={t("payments.statistics.byDayOf", { code: shown.code })}
              height={280}
              currency={shown.code}
              period={period}
              now={shown.stats.by_day}
              before={compared?.by_day ?? []}
            />
          </Panel>
          <Box
            sx={{
              display: "grid",
              gap: 2.5,
              alignItems: "start",
              gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 280px), 1fr))",
            }}
          >
            <ByState of={shown} />
            <ByGateway of={shown} />
            <ByCurrency currencies={currencies} />
          </Box>
        </Stack>
      )}
    </Page>
  );
}

function Waiting() {
  return (
    <Stack sx={{ gap: 2.5 }} aria-busy>
      <Skeleton variant="rounded" height={96} />
      <Skeleton variant="rounded" height={370} />
      <Skeleton variant="rounded" height={220} />
    </Stack>
  );
}

interface Props {
  period: Chosen;
  onChange: (values: { days: string | null; from: string | null; to: string | null }) => void;
}

/** The last days, or from one day to another. */
function PeriodChoice({ period: { from, to, length }, onChange }: Props) {
  const t = useText();
  const choose = (ends: { from: string; to: string }) => {
    // While a day is being typed it is empty, and a period must not end before it begins.
    if (ends.from !== "" && ends.to !== "" && ends.from <= ends.to) {
      onChange({ days: null, ...ends });
    }
  };
  const day = {
    type: "date",
    size: "small",
    slotProps: { inputLabel: { shrink: true } },
    sx: { width: 160 },
  } as const;
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1.5 }}>
      <ToggleButtons
        wraps
        aria-label={t("common.period")}
        value={length}
        options={LENGTHS}
        text={(days) => t("common.days", { smart_count: days })}
        onChange={(days) => onChange({ days: String(days), from: null, to: null })}
      />
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>
        <TextField
          {...day}
          key={`from ${from}`}
          label={t("payments.from")}
          defaultValue={from}
          onChange={({ target }) => choose({ from: target.value, to })}
        />
        <TextField
          {...day}
          key={`to ${to}`}
          label={t("payments.to")}
          defaultValue={to}
          onChange={({ target }) => choose({ from, to: target.value })}
        />
      </Box>
    </Box>
  );
}
