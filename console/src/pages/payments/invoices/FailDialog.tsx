import TextField from "@mui/material/TextField";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { request } from "../../../api/client";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { useText } from "../../../i18n";
import type { ActedOn } from "./useInvoiceActions";

/** Marks an unpaid invoice as failed, with the reason. */
export function FailDialog({ invoice, onClose }: { invoice: ActedOn; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const [reason, setReason] = useState("");
  const fail = async () => {
    await request("POST", `/api/payment-invoices/${invoice.id}/fail`, {
      body: { reason: reason.trim() },
      ifMatch: invoice._etag,
    });
    notify(t("payments.invoices.failDone"), { type: "success" });
    refresh();
  };
  return (
    <ConfirmDialog
      title={t("payments.invoices.failTitle", { id: invoice.id })}
      confirm={t("payments.invoices.fail")}
      danger
      onConfirm={fail}
      onClose={onClose}
    >
      {t("payments.invoices.failHint")}
      <TextField
        autoFocus
        fullWidth
        multiline
        minRows={2}
        sx={{ mt: 2 }}
        label={t("payments.invoices.reason")}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        slotProps={{ htmlInput: { maxLength: 1000 } }}
      />
    </ConfirmDialog>
  );
}
