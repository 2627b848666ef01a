import { api, body, type Schemas } from "../../../api/client";
import { CreateForm } from "../../../components/form/CreateForm";
import { Page } from "../../../components/Page";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { GatewayFields } from "./GatewayFields";

export function GatewayCreate() {
  const t = useText();
  return (
    <Page
      narrow
      title={t("payments.gateways.new")}
      back={{ to: "/gateways", text: t("payments.gateways.title") }}
    >
      <Panel>
        <CreateForm
          fields={["name", "key", "enabled"]}
          defaults={{ enabled: true }}
          create={async (values) => {
            await body(
              api.POST("/api/payment-gateways", { body: values as Schemas["NewGateway"] }),
            );
            return "/gateways";
          }}
        >
          <GatewayFields isNew />
        </CreateForm>
      </Panel>
    </Page>
  );
}
