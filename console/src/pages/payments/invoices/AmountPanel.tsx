import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import type { ReactNode } from "react";
import { Link as RouterLink } from "react-router";
import { Money } from "../../../components/Money";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { difference } from "../decimal";
import { Facts } from "../Facts";
import { Worth } from "../promo-codes/Worth";
import type { InvoiceRecord } from "./types";

/** What is to be paid, and how it came about. */
export function AmountPanel({ invoice }: { invoice: InvoiceRecord }) {
  const t = useText();
  const canReadCurrencies = useCan("admin.currencies.read");
  const { amount, original_amount: before, currency, promo_code: promo } = invoice;
  const discounted: [string, ReactNode][] =
    promo === undefined
      ? []
      : [
          [t("payments.invoices.before"), <Money amount={before} currency={currency.code} />],
          [
            t("payments.promoCode"),
            <>
              <Link component={RouterLink} to={`/promo-codes/${promo.id}`}>
                {promo.code}
              </Link>{" "}
              (<Worth code={promo} />)
            </>,
          ],
          [
            t("payments.invoices.discount"),
            <>
              −<Money amount={difference(before, amount)} currency={currency.code} />
            </>,
          ],
        ];
  return (
    <Panel title={t("payments.amount.label")}>
      <Box sx={{ fontSize: 28, fontWeight: 650, mb: 2 }}>
        <Money amount={amount} currency={currency.code} />
      </Box>
      <Facts
        facts={[
          ...discounted,
          [
            t("payments.currency"),
            canReadCurrencies ? (
              <Link component={RouterLink} to={`/currencies/${currency.id}`}>
                {currency.code}
              </Link>
            ) : (
              currency.code
            ),
          ],
        ]}
      />
    </Panel>
  );
}
