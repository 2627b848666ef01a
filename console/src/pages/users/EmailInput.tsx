import { TextInput } from "react-admin";
import { useText } from "../../i18n";

/** An address. The service checks it: a browser would complain in a language of its own. */
export function EmailInput() {
  const t = useText();
  return (
    <TextInput
      source="email"
      label={t("users.fields.email")}
      helperText={false}
      slotProps={{ htmlInput: { inputMode: "email", autoComplete: "off" } }}
    />
  );
}
