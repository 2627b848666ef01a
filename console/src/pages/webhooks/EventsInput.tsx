import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Chip from "@mui/material/Chip";
import FormControl from "@mui/material/FormControl";
import FormControlLabel from "@mui/material/FormControlLabel";
import FormLabel from "@mui/material/FormLabel";
import Radio from "@mui/material/Radio";
import RadioGroup from "@mui/material/RadioGroup";
import { useId } from "react";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { EventGroup } from "./EventGroup";
import { EVENT_RESOURCES, EVERYTHING, has, others } from "./events";

/** Chooses which events are sent: all of them, or some resources and actions. */
export function EventsInput() {
  const t = useText();
  const labelId = useId();
  const { field, fieldState } = useInput<string[]>({ source: "events" });
  const patterns: string[] = field.value ?? [];
  const isEverything = has(patterns, EVERYTHING);
  const isReadOnly = field.disabled === true;
  const unknown = others(patterns);

  return (
    <FormControl disabled={isReadOnly} error={fieldState.invalid}>
      <FormLabel id={labelId} sx={{ fontSize: 13 }}>
        {t("webhooks.fields.events")}
      </FormLabel>
      <RadioGroup
        row
        aria-labelledby={labelId}
        value={isEverything ? "all" : "some"}
        onChange={(_, value) => field.onChange(value === "all" ? [EVERYTHING] : [])}
      >
        <FormControlLabel value="all" control={<Radio />} label={t("webhooks.events.all")} />
        <FormControlLabel value="some" control={<Radio />} label={t("webhooks.events.some")} />
      </RadioGroup>
      {fieldState.error?.message !== undefined && (
        <Alert severity="error" sx={{ mb: 1 }}>
          {fieldState.error.message}
        </Alert>
      )}
      {!isEverything && (
        <Box
          sx={{
            mt: 1,
            display: "grid",
            gap: 1.5,
            gridTemplateColumns: { xs: "minmax(0, 1fr)", md: "repeat(2, minmax(0, 1fr))" },
          }}
        >
          {EVENT_RESOURCES.map((resource) => (
            <EventGroup
              key={resource}
              resource={resource}
              patterns={patterns}
              readOnly={isReadOnly}
              onChange={field.onChange}
            />
          ))}
        </Box>
      )}
      {unknown.length > 0 && (
        <Box sx={{ mt: 1.5, display: "flex", flexWrap: "wrap", gap: 1, alignItems: "center" }}>
          {t("webhooks.events.others")}
          {unknown.map((pattern) => (
            <Chip
              key={pattern}
              label={pattern}
              size="small"
              disabled={isReadOnly}
              onDelete={() => field.onChange(patterns.filter((one) => one !== pattern))}
            />
          ))}
        </Box>
      )}
    </FormControl>
  );
}
