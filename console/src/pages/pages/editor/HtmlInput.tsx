import FormHelperText from "@mui/material/FormHelperText";
import { useInput } from "react-admin";
import { HtmlEditor } from "./HtmlEditor";

/** HTML as a field of a form. */
export function HtmlInput({ source, label }: { source: string; label: string }) {
  const { field, fieldState } = useInput<string>({ source, parse: (text: string) => text });
  const { error } = fieldState;
  return (
    <>
      <HtmlEditor
        label={label}
        value={field.value}
        onChange={field.onChange}
        readOnly={field.disabled === true}
      />
      {error?.message !== undefined && <FormHelperText error>{error.message}</FormHelperText>}
    </>
  );
}
