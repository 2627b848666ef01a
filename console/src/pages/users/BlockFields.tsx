import { TextInput } from "react-admin";
import { useText } from "../../i18n";
import { UntilInput } from "./UntilInput";

/** The terms of a block. The reason is shown to the blocked person at sign-in. */
export function BlockFields() {
  const t = useText();
  return (
    <>
      <UntilInput />
      <TextInput
        source="reason"
        label={t("users.block.reason")}
        helperText={t("users.block.reasonHint")}
        multiline
        minRows={2}
        slotProps={{ htmlInput: { maxLength: 1000 } }}
      />
    </>
  );
}
