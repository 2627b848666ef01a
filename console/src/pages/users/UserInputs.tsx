import { Autocomplete, TextField } from "@mui/material";
import { TextInput, useInput } from "react-admin";
import { useText } from "../../i18n";
import { useStatusText } from "./user";

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

interface Props {
  /** The statuses to choose from. Any other word can be typed. */
  offered: readonly string[];
  hint?: string;
  disabled?: boolean;
}

/** The status of a user: a well-known one, or a word of the community's own. */
export function StatusInput({ offered, hint, disabled }: Props) {
  const t = useText();
  const statusText = useStatusText();
  const { field, fieldState } = useInput<string | null>({ source: "status" });
  const current = typeof field.value === "string" && field.value !== "" ? field.value : null;

  /** Typed words are the names in the reader's language, or the status itself. */
  const statusOf = (typed: string | null) => {
    const word = typed?.trim() ?? "";
    const named = offered.find((status) => statusText(status).toLowerCase() === word.toLowerCase());
    return named ?? word;
  };

  /** Leaving the input chooses once more, which must not count as a change. */
  const choose = (status: string) => {
    if (status !== (current ?? "")) {
      field.onChange(status);
    }
  };

  return (
    <Autocomplete
      freeSolo
      autoSelect
      forcePopupIcon
      openOnFocus
      options={[...offered]}
      // Every status is offered, not only those that look like the current one.
      filterOptions={(options) => options}
      getOptionLabel={statusText}
      value={current}
      disabled={disabled === true || field.disabled === true}
      onChange={(_, value) => choose(statusOf(value))}
      onBlur={field.onBlur}
      renderInput={(props) => (
        <TextField
          {...props}
          label={t("users.fields.status")}
          error={fieldState.invalid}
          helperText={fieldState.error?.message ?? hint}
        />
      )}
    />
  );
}
