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
import { GatewayFields, useGatewayLabels } from "./GatewayFields";
import { GatewayState } from "./GatewayState";

type Gateway = Schemas["GatewayItem"] & RaRecord & { _etag?: string };

export function GatewayPage() {
  return (
    <OneRecord<Gateway> resource="gateways">{(gateway) => <One gateway={gateway} />}</OneRecord>
  );
}

function One({ gateway }: { gateway: Gateway }) {
  const t = useText();
  const fields = useGatewayLabels();
  const canWrite = useCan("admin.payments");
  const invoices = invoicesPath({ gateway: gateway.key });
  return (
    <Page
      narrow
      title={gateway.name}
      badge={<GatewayState enabled={gateway.enabled} />}
      back={{ to: "/gateways", text: t("payments.gateways.title") }}
      actions={<InvoicesLink to={invoices} />}
    >
      <Panel>
        <EditForm
          resource="gateways"
          record={gateway}
          fields={fields}
          readOnly={!canWrite}
          actions={
            <DeleteWithInvoices
              resource="gateways"
              record={gateway}
              name={gateway.name}
              invoices={invoices}
            >
              {t("payments.gateways.deleteHint")}
            </DeleteWithInvoices>
          }
        >
          <GatewayFields isNew={false} />
        </EditForm>
      </Panel>
    </Page>
  );
}
