import { InputAdornment, TextField } from "@mui/material";
import { useState } from "react";
import { useInput } from "react-admin";
import { parseDecimal, plain } from "./decimal";

interface Props {
  source: string;
  label: string;
  hint?: string;
  /** What the number counts, such as a currency or `%`. */
  unit?: string;
  required?: boolean;
  readOnly?: boolean;
}

/**
 * A number that is sent exactly as it was typed. The form holds the number, or the text as long as
 * it is none, which the service refuses.
 */
export function AmountInput(props: Props) {
  const { source, label, hint, unit, required, readOnly = false } = props;
  const read = (typed: string) => (typed === "" ? "" : (parseDecimal(typed) ?? typed));
  const { field, fieldState, id } = useInput<number | string>({ source });
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
        htmlInput: { inputMode: "decimal", autoComplete: "off", readOnly },
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
