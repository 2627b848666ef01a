import { MenuItem, TextField } from "@mui/material";
import { useText } from "../i18n";

interface Props {
  label: string;
  value: string | undefined;
  choices: readonly (readonly [value: string, text: string])[];
  /** Called with an empty text for all. */
  onChange: (value: string) => void;
}

/** A filter that is one of a few choices, or all. */
export function ChoiceField({ label, value, choices, onChange }: Props) {
  const t = useText();
  return (
    <TextField
      select
      label={label}
      disabled={choices.length === 0}
      value={choices.some(([one]) => one === value) ? value : ""}
      onChange={({ target }) => onChange(target.value)}
    >
      <MenuItem value="">{t("common.all")}</MenuItem>
      {choices.map(([one, text]) => (
        <MenuItem key={one} value={one}>
          {text}
        </MenuItem>
      ))}
    </TextField>
  );
}
