import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { Money } from "../../../components/Money";
import { useText } from "../../../i18n";

export interface Share {
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
export function Shares({ shares }: { shares: Share[] }) {
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
              {to === undefined ? (
                name
              ) : (
                <Link component={RouterLink} to={to}>
                  {name}
                </Link>
              )}
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
export function partOf(value: number, whole: number): number {
  return whole === 0 ? 0 : value / whole;
}
