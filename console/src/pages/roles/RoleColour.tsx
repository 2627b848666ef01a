import { Box, TextField } from "@mui/material";
import { useInput } from "react-admin";
import { useText } from "../../i18n";

/** What the picker of the browser shows while no colour is chosen: the default of the service. */
const DEFAULT = "#808080";
const COLOUR = /^#[0-9a-f]{6}$/i;

/** The input `color` of a role: the picker of the browser, and the colour as text. */
export function ColourInput() {
  const t = useText();
  const { field, fieldState } = useInput<string>({ source: "color", defaultValue: DEFAULT });
  const value = (field.value as string | null | undefined) ?? "";
  return (
    <Box sx={{ display: "flex", alignItems: "flex-start", gap: 1 }}>
      <Box
        component="input"
        type="color"
        aria-label={t("roles.pickColour")}
        disabled={field.disabled}
        value={COLOUR.test(value) ? value : DEFAULT}
        onChange={(event: { target: { value: string } }) => field.onChange(event.target.value)}
        sx={{
          width: 48,
          height: 40,
          p: 0.5,
          border: 1,
          borderColor: "divider",
          borderRadius: 1,
          bgcolor: "background.paper",
          cursor: "pointer",
        }}
      />
      <TextField
        label={t("roles.colourHex")}
        value={value}
        disabled={field.disabled === true}
        onChange={(event) => field.onChange(event.target.value)}
        onBlur={field.onBlur}
        error={fieldState.error !== undefined}
        helperText={fieldState.error?.message ?? t("roles.colourHint")}
        sx={{ flexGrow: 1 }}
      />
    </Box>
  );
}
