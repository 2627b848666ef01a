import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import { useText } from "../../../i18n";
import type { Draft } from "./draft";

type Value = Draft["image"];

interface Props {
  value: Value;
  faults: Record<string, string>;
  onChange: (value: Value) => void;
}

const FIELDS = ["url", "alt", "width", "height"] as const;

/** The fields of an image. */
export function ImageFields({ value, faults, onChange }: Props) {
  const t = useText();
  return (
    <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "repeat(2, minmax(0, 1fr))" }}>
      {FIELDS.map((name) => {
        const isSize = name === "width" || name === "height";
        return (
          <TextField
            key={name}
            label={t(`pages.blocks.image.${name}`)}
            value={value[name]}
            onChange={(event) => onChange({ ...value, [name]: event.target.value })}
            error={faults[name] !== undefined}
            helperText={faults[name] ?? t(`pages.blocks.imageHints.${name}`)}
            sx={isSize ? {} : { gridColumn: "1 / -1" }}
            {...(isSize && { slotProps: { htmlInput: { inputMode: "numeric" } } })}
          />
        );
      })}
    </Box>
  );
}
