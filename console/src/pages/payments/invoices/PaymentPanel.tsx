import Box from "@mui/material/Box";
import { CopyField } from "../../../components/CopyField";
import { Panel } from "../../../components/Panel";
import { When } from "../../../components/When";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { useGatewayName } from "../choices";
import { Facts } from "../Facts";
import type { InvoiceRecord } from "./types";

/** How and when an invoice was paid. */
export function PaymentPanel({ invoice }: { invoice: InvoiceRecord }) {
  const t = useText();
  const format = useFormat();
  const gatewayName = useGatewayName();
  const { gateway, transaction_id: transaction, paid_at: paidAt, created_at: createdAt } = invoice;
  const label = t("payments.invoices.transaction");
  const nothing = <Box sx={{ color: "text.secondary" }}>{t("common.none")}</Box>;
  return (
    <Panel title={t("payments.invoices.payment")}>
      <Facts
        facts={[
          [t("payments.gateway"), gatewayName(gateway)],
          [label, transaction === null ? nothing : <CopyField label={label} value={transaction} />],
          [t("payments.invoices.paidAt"), paidAt === null ? nothing : <Moment at={paidAt} />],
          [t("common.createdAt"), format.exactMoment(createdAt)],
        ]}
      />
    </Panel>
  );
}

function Moment({ at }: { at: string }) {
  const format = useFormat();
  return (
    <>
      {format.exactMoment(at)} (<When at={at} />)
    </>
  );
}
