import CheckCircleOutlined from "@mui/icons-material/CheckCircleOutlined";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import HighlightOffOutlined from "@mui/icons-material/HighlightOffOutlined";
import UndoOutlined from "@mui/icons-material/UndoOutlined";
import type { SvgIconComponent } from "@mui/icons-material";
import { type ReactNode, useState } from "react";
import { type TextKey, useText } from "../../../i18n";
import { DeleteInvoice } from "./DeleteInvoice";
import { FailDialog } from "./FailDialog";
import { PayDialog } from "./PayDialog";
import type { InvoiceStatus } from "./status";
import { UnpayDialog } from "./UnpayDialog";

/** What the dialogs need to know about an invoice. */
export interface ActedOn {
  id: number;
  is_paid: boolean;
  transaction_id: string | null;
  /** The version that is shown, if it is known. */
  _etag?: string;
}

type Name = "pay" | "unpay" | "fail" | "delete";

interface Action {
  name: Name;
  text: string;
  icon: SvgIconComponent;
  run: () => void;
}

const ICONS: Record<Name, SvgIconComponent> = {
  pay: CheckCircleOutlined,
  unpay: UndoOutlined,
  fail: HighlightOffOutlined,
  delete: DeleteOutlined,
};

const TEXTS: Record<Name, TextKey> = {
  pay: "payments.invoices.pay",
  unpay: "payments.invoices.unpay",
  fail: "payments.invoices.fail",
  delete: "common.delete",
};

/** What can be done with an invoice in its status, and the dialog of what was chosen. */
export function useInvoiceActions(
  invoice: ActedOn,
  status: InvoiceStatus,
  onDeleted?: () => void,
): { actions: Action[]; dialog: ReactNode } {
  const t = useText();
  const [open, setOpen] = useState<Name | null>(null);
  const names: Name[] = invoice.is_paid
    ? ["unpay", "delete"]
    : status === "failed"
      ? ["pay", "delete"]
      : ["pay", "fail", "delete"];
  const props = { invoice, onClose: () => setOpen(null) };
  return {
    actions: names.map((name) => ({
      name,
      text: t(TEXTS[name]),
      icon: ICONS[name],
      run: () => setOpen(name),
    })),
    dialog: (
      <>
        {open === "pay" && <PayDialog {...props} />}
        {open === "unpay" && <UnpayDialog {...props} />}
        {open === "fail" && <FailDialog {...props} />}
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
