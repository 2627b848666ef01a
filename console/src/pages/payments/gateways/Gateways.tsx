import { BooleanInput, type RaRecord, TextInput } from "react-admin";
import type { Schemas } from "../../../api/client";
import { CreatePage } from "../../../components/form/CreateForm";
import { EditForm } from "../../../components/form/EditForm";
import { listPath } from "../../../components/links";
import { ListPage, UnsortedColumn } from "../../../components/list/ListPage";
import { recordPage } from "../../../components/recordPage";
import { Page, Panel } from "../../../components/Page";
import { SwitchColumn } from "../../../components/RecordSwitch";
import { Code, State, When } from "../../../components/text";
import { useText } from "../../../i18n";
import { DeleteWithInvoices, InvoicesLink } from "../InvoicesLink";

type GatewayItem = Schemas["GatewayItem"] & RaRecord;
const Column = UnsortedColumn<GatewayItem>;

export function GatewayList() {
  const t = useText();
  const labels = useGatewayLabels();
  const key = ({ key: text }: GatewayItem) => <Code>{text}</Code>;
  return (
    <ListPage<GatewayItem>
      resource="gateways"
      subtitle={t("payments.gateways.subtitle")}
      card={(gateway) => ({
        title: gateway.name,
        detail: key(gateway),
        aside: <GatewayState enabled={gateway.enabled} />,
      })}
    >
      <Column source="name" label={labels.name} />
      <Column source="key" label={labels.key} render={key} />
      <SwitchColumn<GatewayItem>
        resource="gateways"
        field="enabled"
        title={labels.enabled}
        label={({ name }) => t("payments.gateways.enabledOf", { name })}
        name={({ name }) => name}
      />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        render={({ created_at: at }) => <When at={at} />}
      />
    </ListPage>
  );
}

export function GatewayCreate() {
  return (
    <CreatePage
      resource="gateways"
      fields={Object.keys(useGatewayLabels())}
      defaults={{ enabled: true }}
      opensList
    >
      <GatewayFields isNew />
    </CreatePage>
  );
}

type Gateway = Schemas["GatewayItem"] & RaRecord & { _etag?: string };

export const GatewayPage = recordPage("gateways", One);

function One({ record: gateway }: { record: Gateway }) {
  const t = useText();
  const fields = useGatewayLabels();
  const invoices = listPath("invoices", { gateway: gateway.key });
  return (
    <Page
      narrow
      title={gateway.name}
      badge={<GatewayState enabled={gateway.enabled} />}
      back="gateways"
      actions={<InvoicesLink to={invoices} />}
    >
      <Panel>
        <EditForm
          resource="gateways"
          record={gateway}
          fields={fields}
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

/** The fields of a gateway, by the names that the service has for them. */
function useGatewayLabels() {
  const t = useText();
  return {
    name: t("common.name"),
    key: t("payments.gateways.key"),
    enabled: t("common.enabled"),
  };
}

/** A new gateway takes its key as its name if it has none. */
function GatewayFields({ isNew }: { isNew: boolean }) {
  const t = useText();
  const labels = useGatewayLabels();
  return (
    <>
      <TextInput
        source="name"
        label={labels.name}
        helperText={isNew ? t("payments.gateways.nameHint") : false}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        required={!isNew}
      />
      <TextInput
        source="key"
        label={labels.key}
        helperText={t(isNew ? "payments.gateways.keyHint" : "payments.gateways.keyHintEdit")}
        slotProps={{ htmlInput: { maxLength: 64, spellCheck: false } }}
        required
      />
      <BooleanInput
        source="enabled"
        label={labels.enabled}
        helperText={t("payments.gateways.enabledHint")}
      />
    </>
  );
}

/** Whether a gateway accepts new invoices. */
function GatewayState({ enabled }: { enabled: boolean }) {
  const t = useText();
  return (
    <State
      tone={enabled ? "good" : "neutral"}
      text={t(enabled ? "common.enabled" : "payments.gateways.off")}
    />
  );
}
