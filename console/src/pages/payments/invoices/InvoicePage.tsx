import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import { useNavigate } from "react-router";
import { OneRecord } from "../../../components/OneRecord";
import { Page } from "../../../components/Page";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { useCan } from "../../../session/session";
import { AmountPanel } from "./AmountPanel";
import { HistoryPanel } from "./HistoryPanel";
import { InvoiceState } from "./InvoiceState";
import { PaymentPanel } from "./PaymentPanel";
import { useStatusOf } from "./status";
import type { InvoiceRecord } from "./types";
import { useInvoiceActions } from "./useInvoiceActions";
import { UserPanel } from "./UserPanel";

export function InvoicePage() {
  return (
    <OneRecord<InvoiceRecord> resource="invoices">
      {(invoice) => <One invoice={invoice} />}
    </OneRecord>
  );
}

function One({ invoice }: { invoice: InvoiceRecord }) {
  const t = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const canWrite = useCan("admin.payments");
  const canReadAudit = useCan("admin.audit.read");
  const status = useStatusOf([invoice], { user_id: invoice.user_id })(invoice);
  const { actions, dialog } = useInvoiceActions(invoice, status, () => void navigate("/invoices"));
  return (
    <Page
      title={t("payments.invoices.one", { id: invoice.id })}
      badge={<InvoiceState status={status} />}
      subtitle={format.moment(invoice.created_at)}
      back={{ to: "/invoices", text: t("payments.invoices.title") }}
      actions={
        canWrite &&
        actions.map(({ name, text, icon: Icon, run }) => (
          <Button
            key={name}
            variant={name === "pay" ? "contained" : "outlined"}
            color={name === "delete" ? "error" : "primary"}
            startIcon={<Icon />}
            onClick={run}
          >
            {text}
          </Button>
        ))
      }
    >
      <Box
        sx={{
          display: "grid",
          gap: 2.5,
          alignItems: "start",
          gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "minmax(0, 3fr) minmax(0, 2fr)" },
        }}
      >
        <Stack sx={{ gap: 2.5 }}>
          <AmountPanel invoice={invoice} />
          <PaymentPanel invoice={invoice} />
        </Stack>
        <Stack sx={{ gap: 2.5 }}>
          <UserPanel invoice={invoice} />
          {canReadAudit && <HistoryPanel id={invoice.id} />}
        </Stack>
      </Box>
      {dialog}
    </Page>
  );
}
