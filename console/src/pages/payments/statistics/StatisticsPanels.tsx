import { Box, Card, LinearProgress } from "@mui/material";
import { RouteLink } from "../../../components/links";
import { Panel } from "../../../components/Page";
import { Money } from "../../../components/text";
import { useFormat, useText } from "../../../i18n";
import { useTokens } from "../../../theme/theme";
import type { OfCurrency, Statistics } from "../useStatistics";

const STATES = [
  { name: "paid", field: "completed", colour: "success" },
  { name: "pending", field: "pending", colour: "warning" },
  { name: "failed", field: "failed", colour: "error" },
] as const;

export function ByState({ of: { code, stats } }: { of: OfCurrency }) {
  const t = useText();
  return (
    <Panel title={t("payments.statistics.byState")}>
      <Shares
        shares={STATES.map(({ name, field, colour }) => ({
          key: name,
          name: t(`payments.states.${name}`),
          amount: stats[`${field}_amount`],
          count: stats[`${field}_count`],
          currency: code,
          part: partOf(stats[`${field}_amount`], stats.total_amount),
          colour,
        }))}
      />
    </Panel>
  );
}

export function ByGateway({ of: { code, stats } }: { of: OfCurrency }) {
  const t = useText();
  const gateways = [...stats.by_gateway].sort((a, b) => b.amount - a.amount);
  return (
    <Panel title={t("payments.statistics.byGateway")} hint={t("payments.statistics.everyState")}>
      <Shares
        shares={gateways.map(({ gateway_id: key, gateway_name: name, amount, count }) => ({
          key,
          name,
          amount,
          count,
          currency: code,
          part: partOf(amount, stats.total_amount),
          to: `/gateways/${key}`,
        }))}
      />
    </Panel>
  );
}

/** Amounts of different currencies cannot be compared, so the bars show the number of invoices. */
export function ByCurrency({ currencies }: { currencies: OfCurrency[] }) {
  const t = useText();
  const all = currencies.reduce((total, { stats }) => total + stats.completed_count, 0);
  return (
    <Panel title={t("payments.statistics.byCurrency")} hint={t("payments.statistics.paidOnly")}>
      <Shares
        shares={currencies.map(({ id, code, stats }) => ({
          key: id,
          name: code,
          amount: stats.completed_amount,
          count: stats.completed_count,
          currency: code,
          part: partOf(stats.completed_count, all),
        }))}
      />
    </Panel>
  );
}

interface Share {
  key: string | number;
  name: string;
  amount: number;
  count: number;
  currency: string;
  /** How long the bar is, of 1. */
  part: number;
  colour?: "primary" | "success" | "warning" | "error";
  /** Where the invoices of it are. */
  to?: string;
}

/** Rows with an amount, a number of invoices and a bar. */
function Shares({ shares }: { shares: Share[] }) {
  const t = useText();
  return (
    <Box
      component="ul"
      sx={{ fontSize: 14, listStyle: "none", m: 0, p: 0, display: "grid", gap: 2 }}
    >
      {shares.map(({ key, name, amount, count, currency, part, colour, to }) => (
        <li key={key}>
          <Box sx={{ display: "flex", justifyContent: "space-between", gap: 2 }}>
            <Box sx={{ overflowWrap: "anywhere", minWidth: 0 }}>
              {to === undefined ? name : <RouteLink to={to}>{name}</RouteLink>}
            </Box>
            <Box sx={{ fontWeight: 600 }}>
              <Money amount={amount} currency={currency} />
            </Box>
          </Box>
          <LinearProgress
            aria-hidden
            variant="determinate"
            value={part * 100}
            color={colour ?? "primary"}
            sx={{ my: 0.75, height: 6, borderRadius: 3 }}
          />
          <Box sx={{ color: "text.secondary", fontSize: 13 }}>
            {t("payments.statistics.invoices", { smart_count: count })}
          </Box>
        </li>
      ))}
    </Box>
  );
}

/** The part of a whole, for a bar. */
function partOf(value: number, whole: number): number {
  return whole === 0 ? 0 : value / whole;
}

interface Props {
  of: OfCurrency;
  /** The period before, if it has invoices of this currency. */
  compared: Statistics | undefined;
}

/** The sums of a period, each with how it changed. */
export function Tiles({ of: { code, stats }, compared }: Props) {
  const t = useText();
  const tiles = [
    { text: t("dashboard.paid"), state: "completed", more: "good" },
    { text: t("payments.statistics.invoiced"), state: "total", more: "good" },
    { text: t("payments.states.pending"), state: "pending", more: "neutral" },
    { text: t("payments.states.failed"), state: "failed", more: "bad" },
  ] as const;
  return (
    <Box
      sx={{
        display: "grid",
        gap: 1.5,
        gridTemplateColumns: { xs: "repeat(2, minmax(0, 1fr))", md: "repeat(4, 1fr)" },
      }}
    >
      {tiles.map(({ text, state, more }) => (
        <Card key={state} sx={{ px: 2, py: 1.75 }}>
          <Box sx={{ color: "text.secondary", fontSize: 13 }}>{text}</Box>
          <Box sx={{ fontSize: { xs: 18, sm: 24 }, fontWeight: 650, my: 0.25 }}>
            <Money amount={stats[`${state}_amount`]} currency={code} />
          </Box>
          <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 1, fontSize: 13 }}>
            <Box sx={{ color: "text.secondary" }}>
              {t("payments.statistics.invoices", { smart_count: stats[`${state}_count`] })}
            </Box>
            <Change
              now={stats[`${state}_amount`]}
              before={compared?.[`${state}_amount`] ?? 0}
              more={more}
            />
          </Box>
        </Card>
      ))}
    </Box>
  );
}

interface ChangeProps {
  now: number;
  before: number;
  /** What it means if there is more. */
  more: "good" | "bad" | "neutral";
}

/** By how much an amount differs from the period before. */
function Change({ now, before, more }: ChangeProps) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  if (before === 0) {
    return null;
  }
  const change = now / before - 1;
  const isBetter = change >= 0 === (more === "good");
  const colour = isBetter ? tokens.good : tokens.bad;
  const text = format.number(change, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: 0,
  });
  return (
    <Box sx={{ color: more === "neutral" ? tokens.muted : colour, fontWeight: 600 }}>
      {t("payments.statistics.change", { change: text })}
    </Box>
  );
}
