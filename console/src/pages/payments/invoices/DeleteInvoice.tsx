import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { DeleteDialog } from "../../../components/DeleteDialog";
import { useText } from "../../../i18n";
import type { ActedOn } from "./useInvoiceActions";

interface Props {
  invoice: ActedOn;
  onClose: () => void;
  /** Goes to the dialog that makes it possible to delete a paid invoice. */
  onUnpay: () => void;
  onDeleted?: () => void;
}

/** Deletes an invoice. Of a paid one, it says what has to be done first. */
export function DeleteInvoice({ invoice, onClose, onUnpay, onDeleted }: Props) {
  const t = useText();
  const { id } = invoice;
  if (invoice.is_paid) {
    return (
      <ConfirmDialog
        title={t("payments.invoices.deletePaidTitle", { id })}
        confirm={t("payments.invoices.unpay")}
        // The dialog that follows is open when this one closes.
        onConfirm={() => Promise.resolve(setTimeout(onUnpay))}
        onClose={onClose}
      >
        {t("payments.invoices.deletePaidHint")}
      </ConfirmDialog>
    );
  }
  return (
    <DeleteDialog
      resource="invoices"
      record={invoice}
      name={String(id)}
      title={t("payments.invoices.deleteTitle", { id })}
      onClose={onClose}
      onDeleted={onDeleted ?? (() => undefined)}
    >
      {t("payments.invoices.deleteHint")}
    </DeleteDialog>
  );
}
