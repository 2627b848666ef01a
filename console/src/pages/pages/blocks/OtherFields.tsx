import FormHelperText from "@mui/material/FormHelperText";
import TextField from "@mui/material/TextField";
import { useText } from "../../../i18n";
import { CodeEditor } from "../editor/CodeEditor";
import { type Draft, parseJson } from "./draft";

type Value = Draft["other"];

interface Props {
  value: Value;
  faults: Record<string, string>;
  /** The type of a block that exists stays. */
  isNew: boolean;
  onChange: (value: Value) => void;
}

/** A block that only the site's theme knows: its type, and its content as JSON. */
export function OtherFields({ value, faults, isNew, onChange }: Props) {
  const t = useText();
  const parsed = parseJson(value.json);
  const problem =
    faults.content ??
    (!("reason" in parsed)
      ? undefined
      : parsed.reason === "null"
        ? t("pages.blocks.jsonNull")
        : t("pages.blocks.jsonWrong", { reason: parsed.reason }));
  return (
    <>
      <TextField
        label={t("pages.blocks.type")}
        value={value.type}
        disabled={!isNew}
        onChange={(event) => onChange({ ...value, type: event.target.value })}
        error={faults.type !== undefined}
        helperText={faults.type ?? t("pages.blocks.typeHint")}
      />
      <div>
        <CodeEditor
          label={t("pages.blocks.json")}
          language="json"
          value={value.json}
          onChange={(json) => onChange({ ...value, json })}
          height={280}
        />
        <FormHelperText error={problem !== undefined} role="status">
          {problem ?? t("pages.blocks.jsonValid")}
        </FormHelperText>
      </div>
    </>
  );
}
