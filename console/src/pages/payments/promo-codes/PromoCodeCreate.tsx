import { api, body, type Schemas } from "../../../api/client";
import { CreateForm } from "../../../components/form/CreateForm";
import { Page } from "../../../components/Page";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { PromoCodeFields, usePromoCodeLabels } from "./PromoCodeFields";

export function PromoCodeCreate() {
  const t = useText();
  const fields = Object.keys(usePromoCodeLabels());
  return (
    <Page
      narrow
      title={t("payments.promoCodes.new")}
      back={{ to: "/promo-codes", text: t("payments.promoCodes.title") }}
    >
      <Panel>
        <CreateForm
          fields={fields}
          defaults={{ type: "percentage", active: true, role_ids: [] }}
          create={async (values) => {
            const { promo_code: created } = await body(
              api.POST("/api/promo-codes", { body: values as Schemas["NewPromoCode"] }),
            );
            return `/promo-codes/${created.id}`;
          }}
        >
          <PromoCodeFields />
        </CreateForm>
      </Panel>
    </Page>
  );
}
