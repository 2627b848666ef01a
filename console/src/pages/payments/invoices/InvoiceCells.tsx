import { Box } from "@mui/material";
import { useGetManyAggregate, useListContext } from "react-admin";
import type { Schemas } from "../../../api/client";
import { ActionMenu } from "../../../components/IconAction";
import { RouteLink } from "../../../components/links";
import { Money, State, type Tone } from "../../../components/text";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { type Invoice, type InvoiceFilter, type InvoiceStatus, useStatusOf } from "./invoice";
import { useInvoiceActions } from "./useInvoiceActions";

const TONES: Record<InvoiceStatus, Tone> = {
  paid: "good",
  pending: "warn",
  failed: "bad",
  refund: "neutral",
  chargeback: "bad",
  unpaid: "neutral",
};

export function InvoiceState({ status }: { status: InvoiceStatus }) {
  const t = useText();
  return <State tone={TONES[status]} text={t(`payments.states.${status}`)} />;
}

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
    // The row opens the invoice.
    <RouteLink to={`/promo-codes/${id}`} onClick={(event) => event.stopPropagation()}>
      {code}
    </RouteLink>
  );
}

/** Tells the status of the invoices of the list around. Every row asks, one request answers. */
function useShownStatus() {
  const { data, filterValues } = useListContext<Invoice>();
  return useStatusOf(data ?? [], (filterValues ?? {}) as InvoiceFilter);
}

/** The actions of one row of the list. */
export function InvoiceMenu({ invoice }: { invoice: Invoice }) {
  const { actions, dialog } = useInvoiceActions(invoice, useShownStatus()(invoice));
  return (
    <ActionMenu name={`#${invoice.id}`} actions={actions}>
      {dialog}
    </ActionMenu>
  );
}
