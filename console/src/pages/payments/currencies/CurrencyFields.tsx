import { TextInput, required } from "react-admin";
import { useText } from "../../../i18n";
import { AmountInput } from "../AmountInput";
import { useBaseCode } from "./useDefaultCurrency";

/** The places that the service stores of an exchange rate. */
const RATE_PLACES = 10;

/** The fields of a currency, by the names that the service has for them. */
export function useCurrencyLabels() {
  const t = useText();
  return {
    code: t("payments.currencies.code"),
    minimum_value: t("payments.currencies.minimum"),
    exchange_rate: t("payments.currencies.rate"),
  };
}

export function CurrencyFields() {
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
        validate={required()}
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
        places={RATE_PLACES}
        required
      />
    </>
  );
}
