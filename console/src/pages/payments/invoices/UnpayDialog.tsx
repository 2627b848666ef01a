import { useNotify, useRefresh } from "react-admin";
import { request } from "../../../api/client";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { useText } from "../../../i18n";
import type { ActedOn } from "./useInvoiceActions";

/** Takes back that an invoice is paid. */
export function UnpayDialog({ invoice, onClose }: { invoice: ActedOn; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const unpay = async () => {
    await request("PUT", `/api/payment-invoices/${invoice.id}/status`, {
      body: { is_paid: false },
      ifMatch: invoice._etag,
    });
    notify(t("payments.invoices.unpayDone"), { type: "success" });
    refresh();
  };
  return (
    <ConfirmDialog
      title={t("payments.invoices.unpayTitle", { id: invoice.id })}
      confirm={t("payments.invoices.unpay")}
      danger
      onConfirm={unpay}
      onClose={onClose}
    >
      {t("payments.invoices.unpayHint")}
    </ConfirmDialog>
  );
}
