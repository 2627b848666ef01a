import { Box } from "@mui/material";
import { api, body, type Schemas } from "../../api/client";
import { listPath, RouteLink } from "../../components/links";
import { Moment, Money } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { plain } from "../payments/decimal";
import { type InvoiceStatus, readFailed } from "../payments/invoices/invoice";
import { InvoiceState } from "../payments/invoices/InvoiceCells";
import { useStatistics } from "../payments/useStatistics";
import { Entries } from "./Entries";
import type { User } from "./user";

/** The latest invoices of the user. */
export function InvoicesPanel({ user }: { user: User }) {
  const t = useText();
  const format = useFormat();
  const mayWrite = useCan("admin.payments");
  const { data: totals } = useStatistics({ userId: user.id });
  const paid = (totals ?? []).filter(({ stats }) => stats.completed_count > 0);
  return (
    <Entries
      title={t("common.resources.payment_invoices")}
      hint={paid
        .map(({ code, stats }) =>
          t("users.invoices.paid", {
            amount: format.money(plain(stats.completed_amount), code),
            smart_count: stats.completed_count,
          }),
        )
        .join(" · ")}
      actions={
        <>
          {mayWrite && (
            <RouteLink to={`/invoices/create?user_id=${user.id}`} variant="body2" sx={{ mr: 2 }}>
              {t("lists.create.invoices")}
            </RouteLink>
          )}
          <RouteLink to={listPath("invoices", { user_id: user.id })} variant="body2">
            {t("common.showAll")}
          </RouteLink>
        </>
      }
      queryKey={["invoices", "user", user.id]}
      read={async (count) => {
        const query = { user_id: user.id, sort: "-id" as const, per_page: count };
        const [shown, failed] = await Promise.all([
          body(api.GET("/api/payment-invoices", { params: { query } })),
          readFailed({ user_id: user.id, sort: "-id" }),
        ]);
        const statusOf = ({ id, is_paid }: Schemas["InvoiceItem"]): InvoiceStatus =>
          is_paid ? "paid" : (failed.statuses.get(id) ?? "pending");
        return shown.payment_invoices.map((one) => ({ ...one, status: statusOf(one) }));
      }}
      empty={t("users.invoices.none")}
      entry={(invoice) => <Invoice invoice={invoice} />}
    />
  );
}

function Invoice({ invoice }: { invoice: Schemas["InvoiceItem"] & { status: InvoiceStatus } }) {
  const { id, amount, currency, created_at, status } = invoice;
  return (
    // Amount and state take a line of their own where the card is narrow.
    <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 1.5 }}>
      <RouteLink to={`/invoices/${id}`} variant="body2">
        #{id}
      </RouteLink>
      <Box sx={{ flexGrow: 1, color: "text.secondary", fontSize: "0.8125rem" }}>
        <Moment at={created_at} />
      </Box>
      <Box sx={{ display: "flex", alignItems: "center", gap: 1.5, whiteSpace: "nowrap" }}>
        <Money amount={amount} currency={currency} />
        <InvoiceState status={status} />
      </Box>
    </Box>
  );
}
