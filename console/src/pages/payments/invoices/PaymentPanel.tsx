import Box from "@mui/material/Box";
import { CopyField } from "../../../components/CopyField";
import { Facts } from "../../../components/Facts";
import { Panel } from "../../../components/Panel";
import { When } from "../../../components/When";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { useGatewayName } from "../choices";

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
          { label: t("payments.gateway"), value: gatewayName(gateway) },
          {
            label,
            value: transaction === null ? nothing : <CopyField label={label} value={transaction} />,
          },
          {
            label: t("payments.invoices.paidAt"),
            value: paidAt === null ? nothing : <Moment at={paidAt} />,
          },
          { label: t("common.createdAt"), value: format.exactMoment(createdAt) },
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
