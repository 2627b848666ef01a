import Box from "@mui/material/Box";
import Stack from "@mui/material/Stack";
import { useState } from "react";
import type { RaRecord } from "react-admin";
import type { Schemas } from "../../../api/client";
import { EditForm } from "../../../components/form/EditForm";
import { OneRecord } from "../../../components/OneRecord";
import { Page } from "../../../components/Page";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { DeleteWithInvoices } from "../DeleteWithInvoices";
import { InvoicesLink } from "../InvoicesLink";
import { invoicesPath } from "../links";
import { PromoCodeFields, usePromoCodeLabels } from "./PromoCodeFields";
import { PromoCodeState } from "./state";
import { TrialPanel } from "./TrialPanel";
import { Usage } from "./Usage";

type PromoCode = Schemas["PromoCodeItem"] & RaRecord & { _etag?: string };

export function PromoCodePage() {
  return <OneRecord<PromoCode> resource="promo-codes">{(code) => <One code={code} />}</OneRecord>;
}

function One({ code }: { code: PromoCode }) {
  const t = useText();
  const fields = usePromoCodeLabels();
  const canWrite = useCan("admin.payments");
  const [now] = useState(Date.now);
  const invoices = invoicesPath({ promo_code: code.code });
  return (
    <Page
      narrow
      title={code.code}
      badge={<PromoCodeState code={code} now={now} />}
      subtitle={
        <Box sx={{ display: "flex", gap: 1 }}>
          {t("payments.promoCodes.usage")}: <Usage code={code} />
        </Box>
      }
      back={{ to: "/promo-codes", text: t("payments.promoCodes.title") }}
      actions={<InvoicesLink to={invoices} />}
    >
      <Stack sx={{ gap: 2.5 }}>
        <TrialPanel id={code.id} />
        <Panel title={t("payments.promoCodes.settings")}>
          <EditForm
            resource="promo-codes"
            record={code}
            fields={fields}
            readOnly={!canWrite}
            actions={
              <DeleteWithInvoices
                resource="promo-codes"
                record={code}
                name={code.code}
                invoices={invoices}
              >
                {t("payments.promoCodes.deleteHint")}
              </DeleteWithInvoices>
            }
          >
            <PromoCodeFields />
          </EditForm>
        </Panel>
      </Stack>
    </Page>
  );
}
