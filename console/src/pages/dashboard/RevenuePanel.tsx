import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { Chart } from "../../components/Chart";
import { EmptyState } from "../../components/EmptyState";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { daysOf } from "./period";
import type { Choice } from "./useChoice";
import { amounts, useRevenue } from "./useRevenue";

const HEIGHT = 260;

interface Props {
  choice: Choice;
  onCurrency: (id: number) => void;
}

/**
 * Amounts by day against the period before. The statistics have the days of all invoices, and what
 * was paid only for the whole period, so the chart says that it shows what was invoiced.
 */
export function RevenuePanel({ choice, onCurrency }: Props) {
  const t = useText();
  const format = useFormat();
  const { current, previous } = choice;
  const revenue = useRevenue(current, previous, choice.currency);
  const { currencies = [], currency } = revenue.data ?? {};
  const days = daysOf(current);
  return (
    <Panel
      title={t("dashboard.revenue")}
      hint={t("dashboard.revenueHint")}
      actions={
        currencies.length > 1 && (
          <TextField
            select
            label={t("dashboard.currency")}
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
        )
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
            <Chart
              label={t("dashboard.revenue")}
              height={HEIGHT}
              times={days.map((day) => Date.parse(`${day}T00:00:00Z`) / 1000)}
              days
              series={[
                { label: t("dashboard.now"), values: amounts(now, current), look: "area" },
                { label: t("dashboard.before"), values: amounts(before, previous), look: "dashed" },
              ]}
              value={(amount) => format.money(amount, currency.code)}
              axisValue={(amount) => format.shortMoney(amount, currency.code)}
              time={(seconds) => format.day(new Date(seconds * 1000).toISOString().slice(0, 10))}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
