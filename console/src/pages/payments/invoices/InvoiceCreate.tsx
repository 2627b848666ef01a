import { required, SelectInput, TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { api, body, type Schemas } from "../../../api/client";
import { CreateForm } from "../../../components/form/CreateForm";
import { Page } from "../../../components/Page";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import { AmountInput } from "../AmountInput";
import { useCurrencies, useGateways } from "../choices";
import { UserInput } from "../UserInput";
import { DiscountPreview } from "./DiscountPreview";

const FIELDS = ["user_id", "gateway", "currency_id", "amount", "promo_code"];

export function InvoiceCreate() {
  const t = useText();
  return (
    <Page
      narrow
      title={t("payments.invoices.new")}
      back={{ to: "/invoices", text: t("payments.invoices.title") }}
    >
      <Panel>
        <CreateForm
          fields={FIELDS}
          create={async (values) => {
            const { payment_invoice: created } = await body(
              api.POST("/api/payment-invoices", { body: values as Schemas["NewInvoice"] }),
            );
            return `/invoices/${created.id}`;
          }}
        >
          <Fields />
        </CreateForm>
      </Panel>
    </Page>
  );
}

function Fields() {
  const t = useText();
  const format = useFormat();
  const gateways = useGateways().filter(({ enabled }) => enabled);
  const currencies = useCurrencies();
  const chosen = useWatch({ name: "currency_id" }) as number | undefined;
  const currency = currencies.find(({ id }) => id === chosen);
  const smallest = currency?.minimum ?? null;
  return (
    <>
      <UserInput source="user_id" validate={required()} />
      <SelectInput
        source="gateway"
        label={t("payments.gateway")}
        choices={gateways.map(({ key, name }) => ({ id: key, name }))}
        translateChoice={false}
        helperText={false}
        validate={required()}
      />
      <SelectInput
        source="currency_id"
        label={t("payments.currency")}
        choices={currencies.map(({ id, code }) => ({ id, name: code }))}
        translateChoice={false}
        helperText={false}
        validate={required()}
      />
      <AmountInput
        source="amount"
        label={t("payments.amount.label")}
        required
        {...(currency !== undefined && { unit: currency.code })}
        {...(currency !== undefined &&
          smallest !== null && {
            hint: t("payments.invoices.smallest", {
              amount: format.money(smallest, currency.code),
            }),
          })}
      />
      <TextInput
        source="promo_code"
        label={t("payments.promoCode")}
        helperText={t("payments.invoices.promoCodeHint")}
        slotProps={{ htmlInput: { maxLength: 50, spellCheck: false } }}
      />
      <DiscountPreview currency={currency?.code ?? null} />
    </>
  );
}
