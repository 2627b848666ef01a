import { BooleanInput, required, TextInput } from "react-admin";
import { useText } from "../../../i18n";

/** The fields of a gateway, by the names that the service has for them. */
export function useGatewayLabels() {
  const t = useText();
  return {
    name: t("common.name"),
    key: t("payments.gateways.key"),
    enabled: t("payments.gateways.enabled"),
  };
}

/** A new gateway takes its key as its name if it has none. */
export function GatewayFields({ isNew }: { isNew: boolean }) {
  const t = useText();
  const labels = useGatewayLabels();
  return (
    <>
      <TextInput
        source="name"
        label={labels.name}
        helperText={isNew ? t("payments.gateways.nameHint") : false}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        {...(!isNew && { validate: required() })}
      />
      <TextInput
        source="key"
        label={labels.key}
        helperText={t(isNew ? "payments.gateways.keyHint" : "payments.gateways.keyHintEdit")}
        slotProps={{ htmlInput: { maxLength: 64, spellCheck: false } }}
        validate={required()}
      />
      <BooleanInput
        source="enabled"
        label={labels.enabled}
        helperText={t("payments.gateways.enabledHint")}
      />
    </>
  );
}
