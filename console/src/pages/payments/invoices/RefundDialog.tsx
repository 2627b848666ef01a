import { Box, TextField } from "@mui/material";
import { useState } from "react";
import { api, request } from "../../../api/client";
import { useRead } from "../../../api/useRead";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { Muted } from "../../../components/text";
import { ToggleButtons } from "../../../components/ToggleButtons";
import { useDone } from "../../../components/useAct";
import { useText } from "../../../i18n";
import { TakingBackLists } from "../grants/TakingBackLists";

const KINDS = ["refund", "chargeback"] as const;
type Kind = (typeof KINDS)[number];

interface Props {
  invoice: { id: number; _etag?: string };
  onClose: () => void;
}

/** Records that the money of an invoice went back, and says beforehand what that takes back. */
export function RefundDialog({ invoice, onClose }: Props) {
  const t = useText();
  const done = useDone();
  const [kind, setKind] = useState<Kind>("refund");
  const [reason, setReason] = useState("");
  const refund = async () => {
    const path = `/api/payment-invoices/${invoice.id}/refund`;
    const body = { kind, reason: reason.trim() };
    await request("POST", path, { body, ifMatch: invoice._etag });
    done(t("payments.invoices.refundDone"));
  };
  return (
    <ConfirmDialog
      title={t("payments.invoices.refundTitle", { id: invoice.id })}
      confirm={t("payments.invoices.refund")}
      danger
      onConfirm={refund}
      onClose={onClose}
    >
      {t("payments.invoices.refundHint")}
      <TakenBack invoiceId={invoice.id} />
      <Box sx={{ mt: 2 }}>
        <Muted id="refund-kind" sx={{ mb: 0.75 }}>
          {t("payments.invoices.refundKind")}
        </Muted>
        <ToggleButtons
          aria-labelledby="refund-kind"
          value={kind}
          options={KINDS}
          text={(one) => t(`payments.invoices.refundKinds.${one}`)}
          onChange={setKind}
        />
      </Box>
      <TextField
        fullWidth
        multiline
        minRows={2}
        sx={{ mt: 2 }}
        label={t("common.reason")}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
        slotProps={{ htmlInput: { maxLength: 1000 } }}
      />
    </ConfirmDialog>
  );
}

/** What is taken back once an invoice is no longer paid. Without a product, it is nothing. */
export function TakenBack({ invoiceId: id }: { invoiceId: number }) {
  const params = { path: { id }, query: { include: "product" as const } };
  const { data } = useRead(["invoices", id, "grant"], () =>
    api.GET("/api/payment-invoices/{id}", { params }),
  );
  const grant = data?.payment_invoice.grant ?? null;
  return grant === null || grant.state === "revoked" ? null : (
    <TakingBackLists grantId={grant.id} />
  );
}
