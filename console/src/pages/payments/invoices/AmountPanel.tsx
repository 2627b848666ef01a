import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { Money } from "../../../components/Money";
import { Facts } from "../../../components/Facts";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { difference } from "../decimal";

import { Worth } from "../promo-codes/Worth";
import type { InvoiceRecord } from "./types";

/** What is to be paid, and how it came about. */
export function AmountPanel({ invoice }: { invoice: InvoiceRecord }) {
  const t = useText();
  const canReadCurrencies = useCan("admin.currencies.read");
  const { amount, original_amount: before, currency, promo_code: promo } = invoice;
  const discounted =
    promo === undefined
      ? []
      : [
          {
            label: t("payments.invoices.before"),
            value: <Money amount={before} currency={currency.code} />,
          },
          {
            label: t("payments.promoCode"),
            value: (
              <>
                <Link component={RouterLink} to={`/promo-codes/${promo.id}`}>
                  {promo.code}
                </Link>{" "}
                (<Worth code={promo} />)
              </>
            ),
          },
          {
            label: t("payments.invoices.discount"),
            value: (
              <>
                −<Money amount={difference(before, amount)} currency={currency.code} />
              </>
            ),
          },
        ];
  return (
    <Panel title={t("payments.amount.label")}>
      <Box sx={{ fontSize: 28, fontWeight: 650, mb: 2 }}>
        <Money amount={amount} currency={currency.code} />
      </Box>
      <Facts
        facts={[
          ...discounted,
          {
            label: t("payments.currency"),
            value: canReadCurrencies ? (
              <Link component={RouterLink} to={`/currencies/${currency.id}`}>
                {currency.code}
              </Link>
            ) : (
              currency.code
            ),
          },
        ]}
      />
    </Panel>
  );
}
