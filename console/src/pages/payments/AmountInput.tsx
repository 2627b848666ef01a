import InputAdornment from "@mui/material/InputAdornment";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { AMOUNT_PLACES } from "../../i18n/format";
import { parseDecimal, plain } from "./decimal";

interface Props {
  source: string;
  label: string;
  hint?: string;
  /** What the number counts, such as a currency or `%`. */
  unit?: string;
  places?: number;
  required?: boolean;
}

/**
 * A number that is sent exactly as it was typed. The form holds the number, or the text as long as
 * it is none.
 */
export function AmountInput({
  source,
  label,
  hint,
  unit,
  places = AMOUNT_PLACES,
  required,
}: Props) {
  const t = useText();
  const read = (typed: string) => (typed === "" ? "" : (parseDecimal(typed, places) ?? typed));
  const { field, fieldState, id } = useInput<number | string>({
    source,
    validate: (value: unknown) => {
      if (typeof value === "string" && value !== "") {
        return t("payments.amount.invalid", { smart_count: places });
      }
      return required === true && (value === null || value === undefined || value === "")
        ? t("payments.amount.required")
        : undefined;
    },
  });
  const value = field.value as number | string;
  const [typed, setTyped] = useState(() => textOf(value));
  // The record was saved or reset: the form has another number than the one that was typed.
  if (read(typed) !== value) {
    setTyped(textOf(value));
  }
  const error = fieldState.invalid ? fieldState.error?.message : undefined;
  return (
    <TextField
      id={id}
      name={field.name}
      inputRef={field.ref}
      disabled={field.disabled ?? false}
      label={label}
      required={required === true}
      value={typed}
      error={error !== undefined}
      helperText={error ?? hint}
      onBlur={field.onBlur}
      onChange={({ target }) => {
        setTyped(target.value);
        field.onChange(read(target.value));
      }}
      slotProps={{
        htmlInput: { inputMode: "decimal", autoComplete: "off" },
        input: unit === undefined ? {} : { endAdornment: <Unit text={unit} /> },
      }}
    />
  );
}

function Unit({ text }: { text: string }) {
  return <InputAdornment position="end">{text}</InputAdornment>;
}

function textOf(value: number | string): string {
  return typeof value === "number" ? plain(value) : value;
}
