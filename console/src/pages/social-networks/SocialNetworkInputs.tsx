import { TextInput } from "react-admin";
import { useText } from "../../i18n";

/** The inputs of a network. */
export function SocialNetworkInputs() {
  const t = useText();
  return (
    <>
      <TextInput
        source="title"
        label={t("socialNetworks.fields.title")}
        helperText={t("socialNetworks.hints.title")}
      />
      <TextInput
        source="name"
        label={t("socialNetworks.fields.name")}
        helperText={t("socialNetworks.hints.name")}
      />
      <TextInput
        source="url_template"
        label={t("socialNetworks.fields.urlTemplate")}
        helperText={t("socialNetworks.hints.urlTemplate")}
        placeholder="https://example.com/{handle}"
      />
    </>
  );
}
