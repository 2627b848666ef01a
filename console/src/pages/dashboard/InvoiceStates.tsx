import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { Loaded } from "../../components/Loaded";
import { Money } from "../../components/Money";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { useTokens } from "../../theme/theme";
import type { Choice } from "./useChoice";
import { type Statistics, useRevenue } from "./useRevenue";

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

interface Props {
  now: Statistics;
  currency: { id: number; code: string } | null;
  choice: Choice;
}

function States({ now, currency, choice }: Props) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  const share = (count: number) => (now.total_count === 0 ? 0 : count / now.total_count);
  const address = (status: string) => {
    const filter = {
      status,
      created_from: choice.current.start,
      created_to: choice.current.end,
      ...(currency !== null && { currency_id: currency.id }),
    };
    return `/invoices?${new URLSearchParams({ filter: JSON.stringify(filter) })}`;
  };
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
              <Link component={RouterLink} to={address(state)} color="textPrimary">
                {t(`dashboard.states.${state}`)}
              </Link>
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
