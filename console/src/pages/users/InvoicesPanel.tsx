import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { api, body, type Schemas } from "../../api/client";
import { Money } from "../../components/Money";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { Entries } from "./Entries";
import type { User } from "./types";

/** The latest invoices of the user. */
export function InvoicesPanel({ user }: { user: User }) {
  const t = useText();
  const filter = encodeURIComponent(JSON.stringify({ user_id: user.id }));
  return (
    <Entries
      title={t("users.invoices.title")}
      actions={
        <Link component={RouterLink} to={`/invoices?filter=${filter}`} variant="body2">
          {t("users.invoices.all")}
        </Link>
      }
      queryKey={["invoices", "user", user.id]}
      read={async (count) => {
        const query = { user_id: user.id, sort: "-id" as const, per_page: count };
        const params = { query };
        return (await body(api.GET("/api/payment-invoices", { params }))).payment_invoices;
      }}
      empty={t("users.invoices.none")}
      entry={(invoice) => <Invoice invoice={invoice} />}
    />
  );
}

function Invoice({ invoice }: { invoice: Schemas["InvoiceItem"] }) {
  const t = useText();
  const { id, amount, currency, created_at, is_paid } = invoice;
  return (
    <Box sx={{ display: "flex", alignItems: "center", gap: 1.5 }}>
      <Link component={RouterLink} to={`/invoices/${id}`} variant="body2">
        #{id}
      </Link>
      <Box sx={{ flexGrow: 1, color: "text.secondary", fontSize: "0.8125rem" }}>
        <When at={created_at} />
      </Box>
      <Money amount={amount} currency={currency} />
      <State
        tone={is_paid ? "good" : "neutral"}
        text={t(is_paid ? "users.invoices.paid" : "users.invoices.unpaid")}
      />
    </Box>
  );
}
