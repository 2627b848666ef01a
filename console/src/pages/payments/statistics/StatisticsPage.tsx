import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import Skeleton from "@mui/material/Skeleton";
import Stack from "@mui/material/Stack";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { EmptyState } from "../../../components/EmptyState";
import { Page } from "../../../components/Page";
import { useText } from "../../../i18n";
import { useErrorText } from "../../../i18n/describe";
import { useFormat } from "../../../i18n/format";
import { useStatistics } from "../useStatistics";
import { ByCurrency } from "./ByCurrency";
import { ByDay } from "./ByDay";
import { ByGateway } from "./ByGateway";
import { ByState } from "./ByState";
import { CurrencyChoice } from "./CurrencyChoice";
import { before, periodIn } from "./period";
import { PeriodChoice } from "./PeriodChoice";
import { Tiles } from "./Tiles";

/** Payment statistics of one currency in a period. Both are in the address. */
export function StatisticsPage() {
  const t = useText();
  const format = useFormat();
  const errorText = useErrorText();
  const [search, setSearch] = useSearchParams();
  const [now] = useState(Date.now);
  const period = periodIn(search, now);
  const { from, to } = period;
  const current = useStatistics({ from, to });
  const earlier = useStatistics(before(period));

  const change = (values: Record<string, string | null>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries(values)) {
      if (value === null) {
        next.delete(name);
      } else {
        next.set(name, value);
      }
    }
    setSearch(next);
  };

  const currencies = current.data ?? [];
  const wanted = Number(search.get("currency"));
  const shown = currencies.find(({ id }) => id === wanted) ?? currencies[0];
  const compared = earlier.data?.find(({ id }) => id === shown?.id)?.stats;
  return (
    <Page
      title={t("payments.statistics.title")}
      subtitle={t("payments.statistics.subtitle", { from: format.day(from), to: format.day(to) })}
    >
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1.5, mb: 2 }}>
        <PeriodChoice period={period} onChange={change} />
        <Box sx={{ flexGrow: 1 }} />
        {shown !== undefined && (
          <CurrencyChoice
            currencies={currencies}
            shown={shown.id}
            onChange={(id) => change({ currency: String(id) })}
          />
        )}
      </Box>
      {current.error !== null && <Alert severity="error">{errorText(current.error)}</Alert>}
      {current.isPending && <Waiting />}
      {current.data?.length === 0 && (
        <Card>
          <EmptyState
            icon={InsightsOutlined}
            title={t("payments.statistics.emptyTitle")}
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
          <ByDay of={shown} compared={compared} period={period} />
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
