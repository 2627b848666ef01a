import StarBorder from "@mui/icons-material/StarBorder";
import { Box } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { type RaRecord, TextInput } from "react-admin";
import { api, body, request, type Schemas } from "../../../api/client";
import { ConfirmButton } from "../../../components/ConfirmDialog";
import { CreatePage } from "../../../components/form/CreateForm";
import { EditForm } from "../../../components/form/EditForm";
import { listPath } from "../../../components/links";
import { ListPage, UnsortedColumn } from "../../../components/list/ListPage";
import { recordPage } from "../../../components/recordPage";
import { Page, Panel } from "../../../components/Page";
import { Money, State } from "../../../components/text";
import { useDone } from "../../../components/useAct";
import { useFormat, useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { AmountInput } from "../AmountInput";
import { useCurrencies } from "../choices";
import { plain } from "../decimal";
import { DeleteWithInvoices } from "../InvoicesLink";

type CurrencyItem = Schemas["CurrencyItem"] & RaRecord;
const Column = UnsortedColumn<CurrencyItem>;

/** Ten places are stored; a rate shows those that it has. */
const RATE = { maximumFractionDigits: 10 };

export function CurrencyList() {
  const t = useText();
  const format = useFormat();
  const labels = useCurrencyLabels();
  const canWrite = useCan("admin.currencies");
  const standard = useDefaultCurrency();
  const base = useBaseCode();
  const badge = ({ id }: CurrencyItem) =>
    id === standard?.id && <State tone="accent" text={t("payments.currencies.default")} />;
  const rate = ({ exchange_rate: value, code }: CurrencyItem) =>
    base === undefined || base === code
      ? format.number(plain(value), RATE)
      : t("payments.currencies.rateOf", {
          code,
          base,
          rate: format.number(plain(value), RATE),
        });
  return (
    <ListPage<CurrencyItem>
      resource="currencies"
      subtitle={t("payments.currencies.subtitle")}
      card={(currency) => ({
        title: currency.code,
        detail: rate(currency),
        aside: badge(currency),
      })}
    >
      <Column
        source="code"
        label={labels.code}
        render={(currency) => (
          <Box sx={{ display: "flex", alignItems: "center", gap: 1, fontWeight: 550 }}>
            {currency.code}
            {badge(currency)}
          </Box>
        )}
      />
      <Column
        source="minimum_value"
        label={labels.minimum_value}
        render={({ minimum_value: amount, code }) => <Money amount={amount} currency={code} />}
      />
      <Column source="exchange_rate" label={labels.exchange_rate} render={rate} />
      {canWrite && (
        <Column
          label={t("common.actions")}
          render={(currency) =>
            standard !== undefined &&
            standard.id !== currency.id && <MakeDefault currency={currency} />
          }
        />
      )}
    </ListPage>
  );
}

export function CurrencyCreate() {
  return (
    <CreatePage
      resource="currencies"
      fields={Object.keys(useCurrencyLabels())}
      defaults={{ minimum_value: 0 }}
      opensList
    >
      <CurrencyFields />
    </CreatePage>
  );
}

type Currency = Schemas["CurrencyDetail"] & RaRecord & { _etag?: string };

export const CurrencyPage = recordPage("currencies", One);

function One({ record: currency }: { record: Currency }) {
  const t = useText();
  const fields = useCurrencyLabels();
  const canWrite = useCan("admin.currencies");
  const { id, code, is_default: isDefault, _etag: ifMatch } = currency;
  return (
    <Page
      narrow
      title={code}
      badge={isDefault && <State tone="accent" text={t("payments.currencies.default")} />}
      back="currencies"
      actions={canWrite && !isDefault && <MakeDefault currency={currency} ifMatch={ifMatch} />}
    >
      <Panel>
        <EditForm
          resource="currencies"
          record={currency}
          fields={fields}
          actions={
            <DeleteWithInvoices
              resource="currencies"
              record={currency}
              name={code}
              invoices={listPath("invoices", { currency_id: id })}
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

/** The fields of a currency, by the names that the service has for them. */
function useCurrencyLabels() {
  const t = useText();
  return {
    code: t("payments.currencies.code"),
    minimum_value: t("payments.currencies.minimum"),
    exchange_rate: t("payments.currencies.rate"),
  };
}

function CurrencyFields() {
  const t = useText();
  const labels = useCurrencyLabels();
  const base = useBaseCode();
  return (
    <>
      <TextInput
        source="code"
        label={labels.code}
        helperText={t("payments.currencies.codeHint")}
        parse={(typed: string) => typed.toUpperCase()}
        slotProps={{ htmlInput: { maxLength: 3 } }}
        required
      />
      <AmountInput
        source="minimum_value"
        label={labels.minimum_value}
        hint={t("payments.currencies.minimumHint")}
        required
      />
      <AmountInput
        source="exchange_rate"
        label={labels.exchange_rate}
        hint={
          base === undefined
            ? t("payments.currencies.rateHint")
            : t("payments.currencies.rateHintOf", { base })
        }
        required
      />
    </>
  );
}

interface Props {
  currency: Schemas["CurrencyItem"];
  ifMatch?: string | undefined;
}

/** Makes a currency the default one. */
function MakeDefault({ currency: { id, code }, ifMatch }: Props) {
  const t = useText();
  const done = useDone();
  const apply = async () => {
    await request("POST", `/api/currencies/${id}/default`, { ifMatch });
    done(t("common.saved"));
  };
  return (
    // A click here, or in the dialog, would open the row of the list otherwise.
    <Box component="span" role="presentation" onClick={(event) => event.stopPropagation()}>
      <ConfirmButton
        text={t("payments.currencies.makeDefault")}
        button={{
          startIcon: <StarBorder />,
          "aria-label": t("payments.currencies.makeDefaultOf", { code }),
        }}
        title={t("payments.currencies.makeDefaultTitle", { code })}
        confirm={t("payments.currencies.makeDefault")}
        onConfirm={apply}
      >
        {t("payments.currencies.makeDefaultHint")}
      </ConfirmButton>
    </Box>
  );
}

/** The default currency. The list does not name it, so that each one is asked for. */
function useDefaultCurrency() {
  const canRead = useCan("admin.currencies.read");
  const ids = useCurrencies().map(({ id }) => id);
  const { data } = useQuery({
    queryKey: ["currencies", "default", ids],
    queryFn: async () => {
      const found = await Promise.all(
        ids.map((id) => body(api.GET("/api/currencies/{id}", { params: { path: { id } } }))),
      );
      return found.map(({ currency }) => currency).find(({ is_default: isDefault }) => isDefault);
    },
    enabled: canRead && ids.length > 0,
  });
  return data;
}

/** The code of the currency that exchange rates refer to, as far as it is clear which one it is. */
function useBaseCode(): string | undefined {
  const found = useDefaultCurrency();
  return found?.exchange_rate === 1 ? found.code : undefined;
}
