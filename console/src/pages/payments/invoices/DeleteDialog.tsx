import { useNotify, useRefresh } from "react-admin";
import { request } from "../../../api/client";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
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
export function DeleteDialog({ invoice, onClose, onUnpay, onDeleted }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
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
  const remove = async () => {
    await request("DELETE", `/api/payment-invoices/${id}`, { ifMatch: invoice._etag });
    notify(t("common.deleted"), { type: "success" });
    refresh();
    onDeleted?.();
  };
  return (
    <ConfirmDialog
      title={t("payments.invoices.deleteTitle", { id })}
      confirm={t("common.delete")}
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      {t("payments.invoices.deleteHint")}
    </ConfirmDialog>
  );
}
