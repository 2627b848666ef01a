import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import Skeleton from "@mui/material/Skeleton";
import type { ReactNode } from "react";
import { useListContext } from "react-admin";
import { Money } from "../../../components/Money";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { useStatistics } from "../useStatistics";
import type { InvoiceFilter } from "./status";
import { pageTotals, periodOf, totalsOf } from "./totals";
import type { Invoice } from "./types";

/**
 * How many invoices the filters leave, and what they add up to in each currency. Where the service
 * has no sum for such filters, it is the one of the page, and says so.
 */
export function InvoiceTotals() {
  const t = useText();
  const format = useFormat();
  const { total, data, filterValues } = useListContext<Invoice>();
  const filter = (filterValues ?? {}) as InvoiceFilter;
  const period = periodOf(filter);
  const statistics = useStatistics(period ?? {}, { enabled: period !== null });
  const isWhole = period !== null;
  const totals = !isWhole
    ? pageTotals(data ?? [])
    : statistics.data && totalsOf(statistics.data, filter);
  return (
    <Card
      component="dl"
      aria-label={t("payments.invoices.totals")}
      sx={{
        display: "flex",
        flexWrap: "wrap",
        columnGap: 4,
        rowGap: 1.5,
        px: 2.5,
        py: 1.75,
        m: 0,
        mb: 1.5,
      }}
    >
      <Figure label={t("payments.invoices.count")}>
        {total === undefined ? <Skeleton width={48} /> : format.number(total)}
      </Figure>
      {totals === undefined ? (
        <Figure label={t("payments.invoices.sum")}>
          <Skeleton width={96} />
        </Figure>
      ) : (
        totals.map(({ currency, amount, paid }) => (
          <Figure
            key={currency}
            label={t(isWhole ? "payments.invoices.sumOf" : "payments.invoices.pageSumOf", {
              currency,
            })}
            {...(paid !== null && {
              detail: t("payments.invoices.paidOf", { amount: format.money(paid, currency) }),
            })}
          >
            <Money amount={amount} currency={currency} />
          </Figure>
        ))
      )}
    </Card>
  );
}

interface FigureProps {
  label: string;
  children: ReactNode;
  detail?: string;
}

function Figure({ label, children, detail }: FigureProps) {
  return (
    <Box>
      <Box component="dt" sx={{ color: "text.secondary", fontSize: 12 }}>
        {label}
      </Box>
      <Box component="dd" sx={{ m: 0 }}>
        <Box sx={{ fontSize: 18, fontWeight: 650 }}>{children}</Box>
        <Box sx={{ color: "text.secondary", fontSize: 12, minHeight: 18 }}>{detail}</Box>
      </Box>
    </Box>
  );
}
