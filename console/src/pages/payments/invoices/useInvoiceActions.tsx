import type { SvgIconComponent } from "@mui/icons-material";
import CheckCircleOutlined from "@mui/icons-material/CheckCircleOutlined";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import HighlightOffOutlined from "@mui/icons-material/HighlightOffOutlined";
import ReplayOutlined from "@mui/icons-material/ReplayOutlined";
import UndoOutlined from "@mui/icons-material/UndoOutlined";
import { TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import { request } from "../../../api/client";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { DeleteDialog } from "../../../components/DeleteDialog";
import type { Action } from "../../../components/IconAction";
import { useDone } from "../../../components/useAct";
import { type TextKey, useText } from "../../../i18n";
import type { InvoiceStatus } from "./invoice";
import { RefundDialog, TakenBack } from "./RefundDialog";
import { WillBeGiven } from "./WillBeGiven";

/** What the dialogs need to know about an invoice. */
interface ActedOn {
  id: number;
  is_paid: boolean;
  transaction_id: string | null;
  /** The version that is shown, if it is known. */
  _etag?: string;
}

type Name = "pay" | "unpay" | "fail" | "refund" | "delete";

interface InvoiceAction extends Action {
  icon: SvgIconComponent;
  danger: boolean;
  /** Whether it is what most people came for. */
  main: boolean;
}

const LOOKS: Record<Name, { icon: SvgIconComponent; text: TextKey }> = {
  pay: { icon: CheckCircleOutlined, text: "payments.invoices.pay" },
  unpay: { icon: UndoOutlined, text: "payments.invoices.unpay" },
  fail: { icon: HighlightOffOutlined, text: "payments.invoices.fail" },
  refund: { icon: ReplayOutlined, text: "payments.invoices.refund" },
  delete: { icon: DeleteOutlined, text: "common.delete" },
};

/** What can be done with an invoice in its status, and the dialog of what was chosen. */
export function useInvoiceActions(
  invoice: ActedOn,
  status: InvoiceStatus,
  onDeleted?: () => void,
): { actions: InvoiceAction[]; dialog: ReactNode } {
  const t = useText();
  const [open, setOpen] = useState<Name | null>(null);
  const isReturned = status === "refund" || status === "chargeback";
  const isFailed = status === "failed" || isReturned;
  const names: Name[] = invoice.is_paid
    ? ["refund", "unpay", "delete"]
    : isFailed
      ? ["pay", "delete"]
      : ["pay", "fail", "delete"];
  const props = { invoice, onClose: () => setOpen(null) };
  return {
    actions: names.map((name) => ({
      text: t(LOOKS[name].text),
      icon: LOOKS[name].icon,
      danger: name === "delete",
      main: name === "pay" && !isReturned,
      run: () => setOpen(name),
    })),
    dialog: (
      <>
        {open === "refund" && <RefundDialog {...props} />}
        {(open === "pay" || open === "unpay" || open === "fail") && (
          <PaymentDialog key={open} name={open} isFailed={isFailed} {...props} />
        )}
        {open === "delete" && (
          <DeleteInvoice
            {...props}
            onUnpay={() => setOpen("unpay")}
            {...(onDeleted && { onDeleted })}
          />
        )}
      </>
    ),
  };
}

interface DialogProps {
  name: "pay" | "unpay" | "fail";
  invoice: ActedOn;
  /** Paying it clears the failure, which cannot be restored. */
  isFailed: boolean;
  onClose: () => void;
}

/** Changes the payment of an invoice: paid with the gateway's number, not paid, or failed and why. */
function PaymentDialog({ name, invoice, isFailed, onClose }: DialogProps) {
  const t = useText();
  const done = useDone();
  const [text, setText] = useState(name === "pay" ? (invoice.transaction_id ?? "") : "");
  const change = async () => {
    const path = `/api/payment-invoices/${invoice.id}`;
    const ifMatch = invoice._etag;
    if (name === "fail") {
      // The service has no way back from there but a payment.
      await request("POST", `${path}/fail`, { body: { reason: text.trim() }, ifMatch });
      done(t("payments.invoices.failDone"));
      return;
    }
    const { is_paid, transaction_id } = invoice;
    const transaction = name === "pay" && { transaction_id: text.trim() || null };
    const body = { is_paid: name === "pay", ...transaction };
    await request("PUT", `${path}/status`, { body, ifMatch });
    const undo = () => request("PUT", `${path}/status`, { body: { is_paid, transaction_id } });
    done(t(`payments.invoices.${name}Done`), isFailed ? undefined : undo);
  };
  const field = { autoFocus: true, fullWidth: true, sx: { mt: 2 }, value: text };
  return (
    <ConfirmDialog
      title={t(`payments.invoices.${name}Title`, { id: invoice.id })}
      confirm={t(`payments.invoices.${name}`)}
      danger={name !== "pay"}
      onConfirm={change}
      onClose={onClose}
    >
      {t(`payments.invoices.${name}Hint`)}
      {name === "unpay" && <TakenBack invoiceId={invoice.id} />}
      {name === "pay" && <WillBeGiven invoiceId={invoice.id} />}
      {name === "pay" && (
        <TextField
          {...field}
          label={t("payments.invoices.transaction")}
          helperText={t("payments.invoices.transactionHint")}
          onChange={({ target }) => setText(target.value)}
          slotProps={{ htmlInput: { maxLength: 255, spellCheck: false } }}
        />
      )}
      {name === "fail" && (
        <TextField
          {...field}
          multiline
          minRows={2}
          label={t("common.reason")}
          onChange={({ target }) => setText(target.value)}
          slotProps={{ htmlInput: { maxLength: 1000 } }}
        />
      )}
    </ConfirmDialog>
  );
}

interface Props {
  invoice: ActedOn;
  onClose: () => void;
  /** Goes to the dialog that makes it possible to delete a paid invoice. */
  onUnpay: () => void;
  onDeleted?: () => void;
}

/** Deletes an invoice. Of a paid one, it says what has to be done first. */
function DeleteInvoice({ invoice, onClose, onUnpay, onDeleted }: Props) {
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
