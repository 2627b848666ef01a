import Box from "@mui/material/Box";
import FormHelperText from "@mui/material/FormHelperText";
import TextField from "@mui/material/TextField";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import { useId, useState } from "react";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { TIME_ZONE, useFormat } from "../../i18n/format";
import { after, type Duration, DURATIONS, moment } from "./duration";

const CHOICES = [...DURATIONS, "forever", "other"] as const;
type Choice = (typeof CHOICES)[number];

/** When a block ends: after a usual time, at a chosen moment, or never. */
export function UntilInput() {
  const t = useText();
  const format = useFormat();
  const id = useId();
  const [choice, setChoice] = useState<Choice>("forever");
  const { field, fieldState } = useInput<string | null>({ source: "until" });
  const until = typeof field.value === "string" && field.value !== "" ? field.value : null;

  const choose = (next: Choice) => {
    setChoice(next);
    if (isDuration(next)) {
      field.onChange(after(next, new Date()));
    } else if (next === "forever") {
      field.onChange(null);
    } else {
      field.onChange(until ?? after("day", new Date()));
    }
  };

  return (
    <Box>
      <Typography variant="body2" color="textSecondary" id={id} sx={{ mb: 0.5 }}>
        {t("users.block.duration")}
      </Typography>
      <ToggleButtonGroup
        exclusive
        size="small"
        color="primary"
        aria-labelledby={id}
        value={choice}
        onChange={(_, next: Choice | null) => next !== null && choose(next)}
        sx={{
          flexWrap: "wrap",
          gap: 0.75,
          // Each button has a border of its own, because on a phone they take two lines.
          "&& .MuiToggleButton-root": { m: 0, border: 1, borderColor: "divider", borderRadius: 1 },
        }}
      >
        {CHOICES.map((name) => (
          <ToggleButton key={name} value={name} sx={{ textTransform: "none" }}>
            {t(`users.block.durations.${name}`)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {choice === "other" && (
        <TextField
          type="datetime-local"
          fullWidth
          sx={{ mt: 2 }}
          label={t("users.block.until")}
          helperText={t("common.timeZone", { zone: TIME_ZONE })}
          value={until === null ? "" : local(until)}
          onChange={({ target }) => {
            const at = new Date(target.value);
            field.onChange(Number.isNaN(at.getTime()) ? null : moment(at));
          }}
          slotProps={{ inputLabel: { shrink: true } }}
        />
      )}
      <FormHelperText error={fieldState.invalid}>
        {fieldState.error?.message ??
          (until === null
            ? t("users.block.endsNever")
            : t("users.block.ends", { at: format.moment(until) }))}
      </FormHelperText>
    </Box>
  );
}

function isDuration(choice: Choice): choice is Duration {
  return (DURATIONS as readonly string[]).includes(choice);
}

/** A moment in the reader's time zone, as inputs of the browser want it. */
function local(at: string): string {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
