import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import type { Schemas } from "../../../api/client";
import { Money } from "../../../components/Money";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { useTokens } from "../../../theme/theme";
import type { OfCurrency } from "../useStatistics";

type Stats = Schemas["PaymentStatistics"];

interface Props {
  of: OfCurrency;
  /** The period before, if it has invoices of this currency. */
  compared: Stats | undefined;
}

/** The sums of a period, each with how it changed. */
export function Tiles({ of: { code, stats }, compared }: Props) {
  const t = useText();
  const tiles = [
    { text: t("payments.statistics.revenue"), state: "completed", more: "good" },
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
