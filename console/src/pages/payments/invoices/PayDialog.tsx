import TextField from "@mui/material/TextField";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { request } from "../../../api/client";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { useText } from "../../../i18n";
import type { ActedOn } from "./useInvoiceActions";

/** Marks an invoice as paid, with the gateway's number of the payment. */
export function PayDialog({ invoice, onClose }: { invoice: ActedOn; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const [transaction, setTransaction] = useState(invoice.transaction_id ?? "");
  const pay = async () => {
    await request("PUT", `/api/payment-invoices/${invoice.id}/status`, {
      body: { is_paid: true, transaction_id: transaction.trim() || null },
      ifMatch: invoice._etag,
    });
    notify(t("payments.invoices.payDone"), { type: "success" });
    refresh();
  };
  return (
    <ConfirmDialog
      title={t("payments.invoices.payTitle", { id: invoice.id })}
      confirm={t("payments.invoices.pay")}
      onConfirm={pay}
      onClose={onClose}
    >
      {t("payments.invoices.payHint")}
      <TextField
        autoFocus
        fullWidth
        sx={{ mt: 2 }}
        label={t("payments.invoices.transaction")}
        helperText={t("payments.invoices.transactionHint")}
        value={transaction}
        onChange={({ target }) => setTransaction(target.value)}
        slotProps={{ htmlInput: { maxLength: 255, spellCheck: false } }}
      />
    </ConfirmDialog>
  );
}
