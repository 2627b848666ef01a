import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import { Box, MenuItem, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useStore } from "react-admin";
import { EmptyState } from "../../components/EmptyState";
import { listPath, RouteLink } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { Money } from "../../components/text";
import { Panel } from "../../components/Page";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { DaysChart } from "../payments/DaysChart";
import { type Decimal, sum } from "../payments/decimal";
import type { Days } from "../payments/period";
import { readStatistics, type Statistics } from "../payments/useStatistics";
import type { Choice } from "./useChoice";

const HEIGHT = 260;

interface Props {
  choice: Choice;
  onCurrency: (id: number) => void;
}

const KINDS = ["paid", "invoiced"] as const;

/** Amounts by day against the period before: what was paid, or what was invoiced. */
export function RevenuePanel({ choice, onCurrency }: Props) {
  const t = useText();
  const { current, previous } = choice;
  const revenue = useRevenue(current, previous, choice.currency);
  const { currencies = [], currency } = revenue.data ?? {};
  const [kind, setKind] = useStore<(typeof KINDS)[number]>("dashboard.amounts", "paid");
  const days = (of: Statistics) => (kind === "paid" ? (of.by_paid_day ?? []) : of.by_day);
  return (
    <Panel
      title={t(`dashboard.revenue.${kind}`)}
      hint={t(`dashboard.revenue.hint.${kind}`)}
      actions={
        <>
          <ToggleButtons
            aria-label={t("dashboard.revenue.choose")}
            value={kind}
            options={KINDS}
            text={(one) => t(`dashboard.revenue.kinds.${one}`)}
            onChange={setKind}
          />
          {currencies.length > 1 && (
            <TextField
              select
              label={t("payments.currency")}
              value={currency?.id ?? ""}
              onChange={({ target }) => onCurrency(Number(target.value))}
              sx={{ minWidth: 96 }}
            >
              {currencies.map(({ id, code }) => (
                <MenuItem key={id} value={id}>
                  {code}
                </MenuItem>
              ))}
            </TextField>
          )}
        </>
      }
    >
      <Loaded query={revenue} height={HEIGHT}>
        {({ currency, now, before }) =>
          currency === null ? (
            <EmptyState
              icon={InsightsOutlined}
              title={t("dashboard.noInvoices")}
              text={t("dashboard.noInvoicesText")}
            />
          ) : (
            <DaysChart
              label={t(`dashboard.revenue.${kind}`)}
              height={HEIGHT}
              currency={currency.code}
              period={current}
              now={days(now)}
              before={days(before)}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

const STATES = [
  { state: "paid", tone: "good", name: "completed" },
  { state: "pending", tone: "warn", name: "pending" },
  { state: "failed", tone: "bad", name: "failed" },
] as const;

/** How many invoices of the period are paid, pending and failed, and what they are worth. */
export function InvoiceStates({ choice }: { choice: Choice }) {
  const t = useText();
  const revenue = useRevenue(choice.current, choice.previous, choice.currency);
  return (
    <Panel title={t("dashboard.states.title")}>
      <Loaded query={revenue} height={140}>
        {({ now, currency }) => <States now={now} currency={currency} choice={choice} />}
      </Loaded>
    </Panel>
  );
}

interface InvoiceStatesProps {
  now: Statistics;
  currency: { id: number; code: string } | null;
  choice: Choice;
}

function States({ now, currency, choice }: InvoiceStatesProps) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  const share = (count: number) => (now.total_count === 0 ? 0 : count / now.total_count);
  const address = (status: string) =>
    listPath("invoices", {
      status,
      created_from: choice.current.from,
      created_to: choice.current.to,
      ...(currency !== null && { currency_id: currency.id }),
    });
  return (
    <>
      <Box
        aria-hidden
        sx={{
          display: "flex",
          gap: "2px",
          height: 10,
          borderRadius: 5,
          overflow: "hidden",
          bgcolor: tokens.inset,
          mb: 1.5,
        }}
      >
        {STATES.map(({ state, tone, name }) => (
          <Box
            key={state}
            sx={{ width: `${share(now[`${name}_count`]) * 100}%`, bgcolor: tokens[tone] }}
          />
        ))}
      </Box>
      <Box
        component="dl"
        sx={{
          display: "grid",
          gridTemplateColumns: "1fr auto auto auto",
          columnGap: 2,
          rowGap: 1,
          m: 0,
          typography: "body2",
          "& dd": { m: 0, textAlign: "right" },
        }}
      >
        {STATES.map(({ state, tone, name }) => (
          <Box key={state} sx={{ display: "contents" }}>
            <Box component="dt" sx={{ display: "flex", alignItems: "center", gap: 1 }}>
              <Box
                aria-hidden
                sx={{ width: 10, height: 10, borderRadius: "50%", bgcolor: tokens[tone] }}
              />
              <RouteLink to={address(state)} color="textPrimary">
                {t(`dashboard.states.${state}`)}
              </RouteLink>
            </Box>
            <dd>{format.number(now[`${name}_count`])}</dd>
            <Box component="dd" sx={{ color: "text.secondary" }}>
              {format.number(share(now[`${name}_count`]), {
                style: "percent",
                maximumFractionDigits: 0,
              })}
            </Box>
            <Box component="dd" sx={{ fontWeight: 600 }}>
              {currency !== null && (
                <Money amount={now[`${name}_amount`]} currency={currency.code} />
              )}
            </Box>
          </Box>
        ))}
      </Box>
    </>
  );
}

/** What was paid in the period of the statistics, whenever it was invoiced. */
export function paidIn({ by_paid_day: days = [] }: Statistics): Decimal {
  return sum(days.map(({ amount }) => amount));
}

interface Revenue {
  /** The currencies of both periods, those with the most invoices first. */
  currencies: { id: number; code: string }[];
  /** The one that the figures are in; null if there are no invoices. */
  currency: { id: number; code: string } | null;
  now: Statistics;
  before: Statistics;
}

/** Statistics of a period and of the one before, in one currency. */
export function useRevenue(current: Days, previous: Days, wanted: number | null) {
  return useQuery({
    queryKey: ["invoices", "dashboard", current, wanted],
    queryFn: async (): Promise<Revenue> => {
      const whole = { from: previous.from, to: current.to };
      const both = await readStatistics(whole, { group_by: "currency" });
      const currencies = (both.by_currency ?? [])
        .toSorted((one, other) => other.count - one.count)
        .map(({ currency_id: id, currency: code }) => ({ id, code }));
      const currency = currencies.find(({ id }) => id === wanted) ?? currencies[0] ?? null;
      const only = currency === null ? {} : { currency_id: currency.id };
      const [now, before] = await Promise.all([
        readStatistics(current, { ...only, group_by: "paid_day" }),
        readStatistics(previous, { ...only, group_by: "paid_day" }),
      ]);
      return { currencies, currency, now, before };
    },
    enabled: useCan("admin.payments.read"),
  });
}
