import FilterListIcon from "@mui/icons-material/FilterList";
import { Box, Button, Card, Skeleton } from "@mui/material";
import { type ReactNode, useState } from "react";
import { DateInput, SelectInput, TextInput, useListContext } from "react-admin";
import { Money } from "../../../components/text";
import { useFormat, useText } from "../../../i18n";
import { useCurrencies, useGateways } from "../choices";
import { UserInput } from "../UserInput";
import { useStatistics } from "../useStatistics";
import type { Invoice, InvoiceFilter } from "./invoice";
import { pageTotals, periodOf, totalsOf } from "./totals";

/** Those that most people need are always there; the others appear on demand. */
const FURTHER: (keyof InvoiceFilter)[] = ["gateway", "currency_id", "promo_code"];

export function InvoiceFilters() {
  const t = useText();
  const { filterValues } = useListContext();
  const isUsed = FURTHER.some((name) => name in ((filterValues ?? {}) as InvoiceFilter));
  const [isOpen, setOpen] = useState(isUsed);
  const all = { emptyText: t("common.all"), translateChoice: false };
  return (
    <>
      <SelectInput
        source="status"
        label={t("common.state")}
        choices={(["paid", "pending", "failed"] as const).map((id) => ({
          id,
          name: t(`payments.states.${id}`),
        }))}
        {...all}
      />
      <UserInput source="user_id" />
      <DateInput source="created_from" label={t("payments.from")} sx={{ width: 160 }} />
      <DateInput source="created_to" label={t("payments.to")} sx={{ width: 160 }} />
      {(isOpen || isUsed) && <FurtherFilters />}
      {!isUsed && (
        <Button
          startIcon={<FilterListIcon />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? "payments.fewerFilters" : "payments.moreFilters")}
        </Button>
      )}
    </>
  );
}

function FurtherFilters() {
  const t = useText();
  const gateways = useGateways();
  const currencies = useCurrencies();
  const all = { emptyText: t("common.all"), translateChoice: false };
  return (
    <>
      <SelectInput
        source="gateway"
        label={t("payments.gateway")}
        choices={gateways.map(({ key, name }) => ({ id: key, name }))}
        {...all}
      />
      <SelectInput
        source="currency_id"
        label={t("payments.currency")}
        choices={currencies.map(({ id, code }) => ({ id, name: code }))}
        {...all}
      />
      <TextInput source="promo_code" label={t("payments.promoCode")} resettable />
    </>
  );
}

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
