import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import { useInput } from "react-admin";
import { useText } from "../../i18n";

/** What the picker of the browser shows while no colour is chosen: the default of the service. */
const DEFAULT = "#808080";
const COLOUR = /^#[0-9a-f]{6}$/i;

interface Props {
  /** The colour that the role has, if it is known. An empty input keeps it. */
  current?: string | undefined;
  isNew?: boolean;
}

/** The input `color` of a role: the picker of the browser, and the colour as text. */
export function ColourInput({ current, isNew }: Props) {
  const t = useText();
  const { field, fieldState } = useInput<{ color: string | null }>({ source: "color" });
  const value = (field.value as string | null | undefined) ?? "";
  const shown = value === "" ? (current ?? (isNew === true ? DEFAULT : "")) : value;
  const isKnown = isNew === true || shown !== "";
  return (
    <Box sx={{ display: "flex", alignItems: "flex-start", gap: 1 }}>
      <Box
        component="input"
        type="color"
        aria-label={t("roles.pickColour")}
        disabled={field.disabled}
        value={COLOUR.test(shown) ? shown : DEFAULT}
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
        value={shown}
        disabled={field.disabled === true}
        onChange={(event) => field.onChange(event.target.value === "" ? null : event.target.value)}
        onBlur={field.onBlur}
        error={fieldState.error !== undefined}
        helperText={
          fieldState.error?.message ?? t(isKnown ? "roles.colourHint" : "roles.colourUnknown")
        }
        sx={{ flexGrow: 1 }}
      />
    </Box>
  );
}
