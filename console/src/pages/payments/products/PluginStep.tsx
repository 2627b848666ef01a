import { TextField } from "@mui/material";
import { useState } from "react";
import { useInput } from "react-admin";
import { useText } from "../../../i18n";
import { MONOSPACE } from "../../../theme/tokens";
import { ServersInput } from "./ServersInput";

/** A step whose data a plugin on each server fetches. */
export function PluginStep({ source }: { source: string }) {
  return (
    <>
      <ServersInput source={`${source}.server_ids`} />
      <PayloadInput source={`${source}.payload`} />
    </>
  );
}

/** The form holds the value, or the text as long as it is not JSON, which the service refuses. */
function PayloadInput({ source }: { source: string }) {
  const t = useText();
  const { field, fieldState, id } = useInput<unknown>({ source });
  const value = field.value as unknown;
  const [typed, setTyped] = useState(() => textOf(value));
  // The record was saved or reset: the form has another value than the one that was typed.
  if (JSON.stringify(read(typed)) !== JSON.stringify(value)) {
    setTyped(textOf(value));
  }
  return (
    <TextField
      id={id}
      name={field.name}
      inputRef={field.ref}
      multiline
      minRows={3}
      label={t("products.steps.payload")}
      required
      disabled={field.disabled === true}
      value={typed}
      error={fieldState.invalid}
      helperText={fieldState.error?.message ?? t("products.steps.payloadHint")}
      onBlur={field.onBlur}
      onChange={({ target }) => {
        setTyped(target.value);
        field.onChange(read(target.value));
      }}
      slotProps={{ htmlInput: { spellCheck: false, style: { fontFamily: MONOSPACE } } }}
    />
  );
}

function read(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
