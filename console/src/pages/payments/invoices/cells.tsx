import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { useGetManyAggregate } from "react-admin";
import { Link as RouterLink } from "react-router";
import type { Schemas } from "../../../api/client";
import { Money } from "../../../components/Money";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { InvoiceState } from "./InvoiceState";
import type { Invoice } from "./types";
import { useShownStatus } from "./useShownStatus";

type User = Schemas["UserItem"];

interface Props {
  invoice: Invoice;
}

/** The name of the user. The list only has the number, which is shown until the name is known. */
export function UserName({ invoice: { user_id: id } }: Props) {
  const t = useText();
  const canRead = useCan("admin.users.read");
  const { data } = useGetManyAggregate<User>("users", { ids: [id] }, { enabled: canRead });
  return <>{data?.[0]?.username ?? t("payments.userOf", { id })}</>;
}

/** The amount to pay, and the one before the discount if there was one. */
export function AmountCell({ invoice }: Props) {
  const { amount, original_amount: before, currency } = invoice;
  return (
    <>
      <Box component="span" sx={{ fontWeight: 550 }}>
        <Money amount={amount} currency={currency} />
      </Box>
      {before !== amount && (
        <Box component="s" sx={{ display: "block", color: "text.secondary", fontSize: 12 }}>
          <Money amount={before} currency={currency} />
        </Box>
      )}
    </>
  );
}

export function StatusCell({ invoice }: Props) {
  return <InvoiceState status={useShownStatus()(invoice)} />;
}

export function PromoCodeCell({ invoice: { promo_code: code, promo_code_id: id } }: Props) {
  if (code === undefined || id === undefined) {
    return null;
  }
  return (
    <Link
      component={RouterLink}
      to={`/promo-codes/${id}`}
      // The row opens the invoice.
      onClick={(event) => event.stopPropagation()}
    >
      {code}
    </Link>
  );
}
