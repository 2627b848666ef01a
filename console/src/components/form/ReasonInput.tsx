import { Autocomplete, TextField } from "@mui/material";
import { useInput, useStore } from "react-admin";
import { useText } from "../../i18n";

interface Props {
  /** To choose from. */
  reasons: string[];
  hint: string;
  required?: boolean;
}

/** The input `reason` of a form: one of the usual reasons, or any other text. */
export function ReasonInput({ reasons, hint, required }: Props) {
  const t = useText();
  const { field, fieldState, id } = useInput<string>({ source: "reason" });
  return (
    <Autocomplete
      freeSolo
      forcePopupIcon
      openOnFocus
      id={id}
      options={reasons}
      inputValue={typeof field.value === "string" ? field.value : ""}
      onInputChange={(_, reason) => field.onChange(reason)}
      onBlur={field.onBlur}
      renderInput={(props) => (
        <TextField
          {...props}
          multiline
          required={required === true}
          inputRef={field.ref}
          label={t("common.reason")}
          error={fieldState.invalid}
          helperText={fieldState.error?.message ?? hint}
        />
      )}
    />
  );
}

const REMEMBERED = 6;

/** The reasons to choose from: those that were used last in this browser, then the usual ones. */
export function useRecentReasons(
  of: "blocks" | "bans",
  usual: string[],
): [reasons: string[], remember: (reason: unknown) => void] {
  const [used, setUsed] = useStore<string[]>(`${of}.reasons`, []);
  const remember = (reason: unknown) => {
    const text = typeof reason === "string" ? reason.trim() : "";
    if (text !== "" && !usual.includes(text)) {
      setUsed([text, ...used.filter((other) => other !== text)].slice(0, REMEMBERED));
    }
  };
  return [[...used, ...usual], remember];
}
