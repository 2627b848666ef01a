import { RadioButtonGroupInput, required, TextInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { useText } from "../../i18n";
import { EventsInput } from "./EventsInput";
import type { WebhookFormat } from "./types";

/** The inputs for a webhook, new or not. */
export function WebhookFields() {
  const t = useText();
  const format = useWatch({ name: "format" }) as WebhookFormat;
  return (
    <>
      <RadioButtonGroupInput
        source="format"
        label={t("webhooks.fields.format")}
        helperText={false}
        choices={[
          { id: "standard", name: t("webhooks.format.standard") },
          { id: "discord", name: t("webhooks.format.discord") },
        ]}
        translateChoice={false}
      />
      <TextInput
        source="url"
        type="url"
        label={t("webhooks.fields.url")}
        helperText={t(format === "discord" ? "webhooks.form.discordUrl" : "webhooks.form.url")}
        validate={required()}
      />
      <TextInput
        source="name"
        label={t("common.name")}
        helperText={t("webhooks.form.name")}
        parse={(value: string) => (value === "" ? null : value)}
      />
      <EventsInput />
    </>
  );
}
