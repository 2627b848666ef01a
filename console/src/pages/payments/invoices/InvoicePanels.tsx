import { Box } from "@mui/material";
import { api } from "../../../api/client";
import { useRead } from "../../../api/useRead";
import { CopyField } from "../../../components/CopyField";
import { Facts } from "../../../components/Facts";
import { listPath, RouteLink } from "../../../components/links";
import { Panel } from "../../../components/Page";
import { Money, When } from "../../../components/text";
import { useFormat, useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useGatewayName } from "../choices";
import { difference } from "../decimal";
import { Worth } from "../promo-codes/PromoCodeState";
import type { InvoiceRecord } from "./invoice";

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
                <RouteLink to={`/promo-codes/${promo.id}`}>{promo.code}</RouteLink> (
                <Worth code={promo} />)
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
              <RouteLink to={`/currencies/${currency.id}`}>{currency.code}</RouteLink>
            ) : (
              currency.code
            ),
          },
        ]}
      />
    </Panel>
  );
}

/** How and when an invoice was paid. */
export function PaymentPanel({ invoice }: { invoice: InvoiceRecord }) {
  const t = useText();
  const format = useFormat();
  const gatewayName = useGatewayName();
  const { gateway, transaction_id: transaction, paid_at: paidAt, created_at: createdAt } = invoice;
  const { refund } = invoice;
  const label = t("payments.invoices.transaction");
  const nothing = <Box sx={{ color: "text.secondary" }}>{t("common.none")}</Box>;
  return (
    <Panel title={t("payments.invoices.payment")}>
      <Facts
        facts={[
          { label: t("payments.gateway"), value: gatewayName(gateway) },
          {
            label,
            value: transaction === null ? nothing : <CopyField label={label} value={transaction} />,
          },
          {
            label: t("payments.invoices.paidAt"),
            value: paidAt === null ? nothing : <Moment at={paidAt} />,
          },
          ...(refund === null || refund === undefined
            ? []
            : [
                {
                  label: t(`payments.invoices.refunded.${refund.kind}`),
                  value: <Moment at={refund.at} />,
                },
              ]),
          { label: t("common.createdAt"), value: format.exactMoment(createdAt) },
        ]}
      />
    </Panel>
  );
}

function Moment({ at }: { at: string }) {
  const format = useFormat();
  return (
    <>
      {format.exactMoment(at)} (<When at={at} />)
    </>
  );
}

/** Whose invoice it is. */
export function UserPanel({ invoice: { user } }: { invoice: InvoiceRecord }) {
  const t = useText();
  const canRead = useCan("admin.users.read");
  const name = canRead ? <RouteLink to={`/users/${user.id}`}>{user.name}</RouteLink> : user.name;
  return (
    <Panel title={t("common.user")}>
      <Facts
        facts={[
          { label: t("payments.invoices.userName"), value: name },
          { label: t("payments.invoices.email"), value: user.email },
        ]}
      />
      <RouteLink
        variant="body2"
        to={listPath("invoices", { user_id: user.id })}
        sx={{ display: "inline-block", mt: 2 }}
      >
        {t("payments.invoices.ofUser")}
      </RouteLink>
    </Panel>
  );
}

/** Why an invoice failed or was refunded, which only the audit log says, and the way to its other entries. */
export function HistoryPanel({ invoice: { id, refund } }: { invoice: InvoiceRecord }) {
  const t = useText();
  const about = { resource: "payment_invoices", resource_id: id };
  const isRefunded = refund !== null && refund !== undefined;
  const action = isRefunded ? "payment_invoices.refund" : "payment_invoices.fail";
  const query = { ...about, action, per_page: 1 };
  const { data } = useRead(["invoices", id, action], () =>
    api.GET("/api/audit-log", { params: { query } }),
  );
  const failure = data?.audit_log[0];
  const reason = failure?.after.failed_reason;
  // A refunded invoice itself no longer says when it was paid.
  const paidAt = failure?.before.paid_at;
  return (
    <Panel title={t("payments.invoices.history")}>
      {failure !== undefined && (
        <Box sx={{ mb: 2, fontSize: 14 }}>
          {isRefunded && typeof paidAt === "string" && (
            <Box>
              {t("payments.invoices.paidAt")} <When at={paidAt} />
            </Box>
          )}
          {t(isRefunded ? `payments.invoices.refunded.${refund.kind}` : "payments.invoices.failed")}{" "}
          <When at={failure.at} />
          {typeof reason === "string" && reason !== "" && (
            <Box component="blockquote" sx={{ m: 0, mt: 0.5, color: "text.secondary" }}>
              {reason}
            </Box>
          )}
        </Box>
      )}
      <RouteLink
        variant="body2"
        to={`/audit-log?resource=${about.resource}&resource_id=${about.resource_id}`}
      >
        {t("payments.invoices.audit")}
      </RouteLink>
    </Panel>
  );
}
