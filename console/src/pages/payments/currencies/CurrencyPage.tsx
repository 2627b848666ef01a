import type { RaRecord } from "react-admin";
import type { Schemas } from "../../../api/client";
import { EditForm } from "../../../components/form/EditForm";
import { OneRecord } from "../../../components/OneRecord";
import { Page } from "../../../components/Page";
import { Panel } from "../../../components/Panel";
import { State } from "../../../components/State";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { DeleteWithInvoices } from "../DeleteWithInvoices";
import { invoicesPath } from "../links";
import { CurrencyFields, useCurrencyLabels } from "./CurrencyFields";
import { MakeDefault } from "./MakeDefault";

type Currency = Schemas["CurrencyDetail"] & RaRecord & { _etag?: string };

export function CurrencyPage() {
  return (
    <OneRecord<Currency> resource="currencies">
      {(currency) => <One currency={currency} />}
    </OneRecord>
  );
}

function One({ currency }: { currency: Currency }) {
  const t = useText();
  const fields = useCurrencyLabels();
  const canWrite = useCan("admin.currencies");
  const { id, code, is_default: isDefault, _etag: ifMatch } = currency;
  return (
    <Page
      narrow
      title={code}
      badge={isDefault && <State tone="accent" text={t("payments.currencies.default")} />}
      back={{ to: "/currencies", text: t("payments.currencies.title") }}
      actions={canWrite && !isDefault && <MakeDefault currency={currency} ifMatch={ifMatch} />}
    >
      <Panel>
        <EditForm
          resource="currencies"
          record={currency}
          fields={fields}
          readOnly={!canWrite}
          actions={
            <DeleteWithInvoices
              resource="currencies"
              record={currency}
              name={code}
              invoices={invoicesPath({ currency_id: id })}
            >
              {t("payments.currencies.deleteHint")}
            </DeleteWithInvoices>
          }
        >
          <CurrencyFields />
        </EditForm>
      </Panel>
    </Page>
  );
}
