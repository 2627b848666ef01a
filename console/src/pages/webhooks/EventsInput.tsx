import {
  Alert,
  Box,
  Checkbox,
  Chip,
  FormControl,
  FormControlLabel,
  FormLabel,
  Radio,
  RadioGroup,
  Tooltip,
} from "@mui/material";
import { useId } from "react";
import { RadioButtonGroupInput, TextInput, useInput } from "react-admin";
import { useWatch } from "react-hook-form";
import { Code, Muted } from "../../components/text";
import { useText } from "../../i18n";
import {
  allOf,
  EVENT_RESOURCES,
  eventOf,
  type EventResource,
  EVENTS,
  EVERYTHING,
  has,
  others,
  selectAction,
  selectResource,
} from "./events";
import type { WebhookFormat } from "./types";

/** Chooses which events are sent: all of them, or some resources and actions. */
function EventsInput() {
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

interface Props {
  resource: EventResource;
  patterns: readonly string[];
  readOnly: boolean;
  onChange: (patterns: string[]) => void;
}

/** A resource with its actions. The box of the resource stands for all of them, later ones too. */
function EventGroup({ resource, patterns, readOnly, onChange }: Props) {
  const t = useText();
  const isAll = has(patterns, allOf(resource));
  const isChosen = (event: string) => isAll || has(patterns, event);
  const actions = EVENTS[resource];
  const isSome = actions.some((action) => has(patterns, eventOf(resource, action)));
  const name = t(`common.resources.${resource}`);

  return (
    <Box
      role="group"
      aria-label={name}
      sx={{ border: 1, borderColor: "divider", borderRadius: 1, px: 1.5, py: 0.75 }}
    >
      <Box sx={{ display: "flex", alignItems: "center" }}>
        <FormControlLabel
          sx={{ flexGrow: 1 }}
          slotProps={{ typography: { variant: "body2", sx: { fontWeight: 600 } } }}
          label={name}
          control={
            <Checkbox
              size="small"
              checked={isAll}
              indeterminate={!isAll && isSome}
              disabled={readOnly}
              onChange={(_, isSelected) => onChange(selectResource(patterns, resource, isSelected))}
            />
          }
        />
        <Muted>
          <Code>{allOf(resource)}</Code>
        </Muted>
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", pl: 3 }}>
        {actions.map((action) => (
          <FormControlLabel
            key={action}
            slotProps={{ typography: { variant: "body2" } }}
            label={t(`webhooks.actions.${action}`)}
            control={
              <Checkbox
                size="small"
                sx={{ p: 0.5 }}
                checked={isChosen(eventOf(resource, action))}
                disabled={readOnly}
                onChange={(_, isSelected) =>
                  onChange(selectAction(patterns, resource, action, isSelected))
                }
              />
            }
          />
        ))}
      </Box>
    </Box>
  );
}

/** Which events a webhook gets, in a few words. */
export function EventSummary({ events }: { events: string[] }) {
  const t = useText();
  if (has(events, EVERYTHING)) {
    return <>{t("webhooks.events.all")}</>;
  }
  const [first = ""] = events;
  return events.length === 1 ? (
    <code>{first}</code>
  ) : (
    <Tooltip title={events.join(", ")}>
      <span>{t("webhooks.events.patterns", { smart_count: events.length })}</span>
    </Tooltip>
  );
}

/** The inputs for a webhook, new or not. */
export function WebhookFields() {
  const t = useText();
  const format = useWatch({ name: "format" }) as WebhookFormat;
  return (
    <>
      <RadioButtonGroupInput
        source="format"
        label={t("webhooks.fields.format")}
        helperText={false}
        choices={[
          { id: "standard", name: t("webhooks.format.standard") },
          { id: "discord", name: t("webhooks.format.discord") },
        ]}
        translateChoice={false}
      />
      <TextInput
        source="url"
        type="url"
        label={t("webhooks.fields.url")}
        helperText={t(format === "discord" ? "webhooks.form.discordUrl" : "webhooks.form.url")}
        required
      />
      <TextInput
        source="name"
        label={t("common.name")}
        helperText={t("webhooks.form.name")}
        parse={(value: string) => (value === "" ? null : value)}
      />
      <EventsInput />
    </>
  );
}
