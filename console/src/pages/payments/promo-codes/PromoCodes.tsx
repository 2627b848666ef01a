import { Box, Stack } from "@mui/material";
import { useState } from "react";
import { type RaRecord, SelectInput, TextInput } from "react-admin";
import type { Schemas } from "../../../api/client";
import { CreatePage } from "../../../components/form/CreateForm";
import { EditForm } from "../../../components/form/EditForm";
import { listPath } from "../../../components/links";
import { ListPage, UnsortedColumn } from "../../../components/list/ListPage";
import { recordPage } from "../../../components/recordPage";
import { Page, Panel } from "../../../components/Page";
import { SwitchColumn } from "../../../components/RecordSwitch";
import { useText } from "../../../i18n";
import { DeleteWithInvoices, InvoicesLink } from "../InvoicesLink";
import { PromoCodeFields, usePromoCodeLabels } from "./PromoCodeFields";
import { PromoCodeState, Usage, Validity, Worth } from "./PromoCodeState";
import { TrialPanel } from "./TrialPanel";

type PromoCodeItem = Schemas["PromoCodeItem"] & RaRecord;
const Column = UnsortedColumn<PromoCodeItem>;

export function PromoCodeList() {
  const t = useText();
  const [now] = useState(Date.now);
  return (
    <ListPage<PromoCodeItem>
      resource="promo-codes"
      subtitle={t("payments.promoCodes.subtitle")}
      filters={<Filters />}
      card={(code) => ({
        title: code.code,
        detail: (
          <>
            −<Worth code={code} />, <Usage code={code} />
          </>
        ),
        aside: <PromoCodeState code={code} now={now} />,
      })}
    >
      <Column
        source="code"
        label={t("payments.promoCodes.code")}
        render={({ code }) => <Box sx={{ fontWeight: 550 }}>{code}</Box>}
      />
      <Column
        source="value"
        label={t("payments.promoCodes.value")}
        render={(code) => <Worth code={code} />}
      />
      <Column
        source="usages_count"
        label={t("payments.promoCodes.usage")}
        render={(code) => <Usage code={code} />}
      />
      <Column
        label={t("payments.promoCodes.validity")}
        render={({ starts_at, expires_at }) => (
          <Validity starts_at={starts_at} expires_at={expires_at} />
        )}
      />
      <Column
        label={t("common.state")}
        render={(code) => <PromoCodeState code={code} now={now} />}
      />
      <SwitchColumn<PromoCodeItem>
        resource="promo-codes"
        field="active"
        title={t("common.active")}
        label={({ code }) => t("payments.promoCodes.activeOf", { code })}
        name={({ code }) => code}
      />
    </ListPage>
  );
}

function Filters() {
  const t = useText();
  return (
    <>
      <TextInput source="code" label={t("payments.promoCodes.exactCode")} resettable />
      <SelectInput
        source="active"
        label={t("common.active")}
        choices={[
          { id: "true", name: t("common.yes") },
          { id: "false", name: t("common.no") },
        ]}
        emptyText={t("common.all")}
        translateChoice={false}
      />
    </>
  );
}

export function PromoCodeCreate() {
  return (
    <CreatePage
      resource="promo-codes"
      fields={Object.keys(usePromoCodeLabels())}
      defaults={{ type: "percentage", active: true, role_ids: [] }}
    >
      <PromoCodeFields />
    </CreatePage>
  );
}

type PromoCode = Schemas["PromoCodeItem"] & RaRecord & { _etag?: string };

export const PromoCodePage = recordPage("promo-codes", One);

function One({ record: code }: { record: PromoCode }) {
  const t = useText();
  const fields = usePromoCodeLabels();
  const [now] = useState(Date.now);
  const invoices = listPath("invoices", { promo_code: code.code });
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
      back="promo-codes"
      actions={<InvoicesLink to={invoices} />}
    >
      <Stack sx={{ gap: 2.5 }}>
        <TrialPanel id={code.id} />
        <Panel title={t("common.settings")}>
          <EditForm
            resource="promo-codes"
            record={code}
            fields={fields}
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
