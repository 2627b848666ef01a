import { Page } from "../../../components/Page";
import { Panel } from "../../../components/Panel";
import { CreateForm } from "../../../components/form/CreateForm";
import { api, body, type Schemas } from "../../../api/client";
import { useText } from "../../../i18n";
import { CurrencyFields } from "./CurrencyFields";

const FIELDS = ["code", "minimum_value", "exchange_rate"];

export function CurrencyCreate() {
  const t = useText();
  return (
    <Page
      narrow
      title={t("payments.currencies.new")}
      back={{ to: "/currencies", text: t("payments.currencies.title") }}
    >
      <Panel>
        <CreateForm
          fields={FIELDS}
          defaults={{ minimum_value: 0 }}
          create={async (values) => {
            await body(api.POST("/api/currencies", { body: values as Schemas["NewCurrency"] }));
            return "/currencies";
          }}
        >
          <CurrencyFields />
        </CreateForm>
      </Panel>
    </Page>
  );
}
