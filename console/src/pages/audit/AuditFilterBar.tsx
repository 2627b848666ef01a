import { Box, Button, TextField } from "@mui/material";
import { api } from "../../api/client";
import { localMoment } from "../../api/moment";
import { useRead } from "../../api/useRead";
import { ChoiceField } from "../../components/ChoiceField";
import type { AuditFilters } from "../../components/audit/useAuditLog";
import { type TextKey, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { UserSearch } from "../operators/UserSearch";
import { actions } from "./actions";

type Resource = keyof typeof actions.en;

const RESOURCES = Object.keys(actions.en) as Resource[];

interface Props {
  filters: AuditFilters;
  onChange: (changes: AuditFilters) => void;
  onClear: () => void;
}

export function AuditFilterBar({ filters, onChange, onClear }: Props) {
  const t = useText();
  const label = useActionLabel();
  const keys = useKeys();
  const operators = useOperators();
  const canReadUsers = useCan("admin.users.read");
  const { resource, action, key_id: keyId, resource_id: resourceId, from, to } = filters;
  const { user_id: userId, about_user_id: aboutId } = filters;
  const known = RESOURCES.find((one) => one === resource);
  const kinds = known === undefined ? [] : Object.keys(actions.en[known]);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Box
      role="search"
      sx={{
        display: "grid",
        // A day and a time need so much room, in any language.
        gridTemplateColumns: "repeat(auto-fill, minmax(min(236px, 100%), 1fr))",
        gap: 1,
        mb: 1.5,
      }}
    >
      {operators !== null && (
        <ChoiceField
          label={t("audit.who")}
          value={String(userId)}
          choices={operators.map(({ user_id: id, username }) => [String(id), username])}
          onChange={(value) => onChange({ user_id: value === "" ? undefined : Number(value) })}
        />
      )}
      {canReadUsers && (
        <AboutField
          key={aboutId}
          id={aboutId}
          onChange={(value) => onChange({ about_user_id: value })}
        />
      )}
      <ChoiceField
        label={t("audit.resource")}
        value={known}
        choices={RESOURCES.map((one) => [one, t(`common.resources.${one}`)])}
        onChange={(value) =>
          onChange({ resource: value, action: undefined, resource_id: undefined })
        }
      />
      <ChoiceField
        label={t("audit.action")}
        value={action}
        choices={kinds.map((kind) => [`${known}.${kind}`, label(`${known}.${kind}`)])}
        onChange={(value) => onChange({ action: value })}
      />
      <NumberField
        label={t("audit.resourceId")}
        value={resourceId}
        onChange={(value) => onChange({ resource_id: value })}
      />
      {keys === null ? (
        <NumberField
          label={t("audit.keyId")}
          value={keyId}
          onChange={(value) => onChange({ key_id: value })}
        />
      ) : (
        <ChoiceField
          label={t("common.apiKey")}
          value={String(keyId)}
          choices={keys.map(({ id, name }) => [String(id), name])}
          onChange={(value) => onChange({ key_id: value === "" ? undefined : Number(value) })}
        />
      )}
      <MomentField
        label={t("common.from")}
        value={from}
        onChange={(value) => onChange({ from: value })}
      />
      <MomentField
        label={t("common.to")}
        value={to}
        onChange={(value) => onChange({ to: value })}
      />
      {isFiltered && <Button onClick={onClear}>{t("common.clearFilters")}</Button>}
    </Box>
  );
}

/** The people who may have acted; null for those who may not read them. */
function useOperators() {
  const canRead = useCan("admin.api-keys.read");
  const { data } = useRead(["operators", "names"], () => api.GET("/api/operators"), {
    enabled: canRead,
  });
  return canRead ? (data?.operators ?? []) : null;
}

/** The user whom entries are about, by name. */
function AboutField({ id, onChange }: Omit<NumberProps, "label" | "value"> & { id?: number }) {
  const { data } = useRead(
    ["users", id, "name"],
    () => api.GET("/api/users/{id}", { params: { path: { id: id ?? 0 } } }),
    { enabled: id !== undefined },
  );
  return (
    <UserSearch
      value={data?.user ?? null}
      error={null}
      onChange={(person) => onChange(person?.id)}
    />
  );
}

/** The API keys to choose from; null for people who may not read them. */
function useKeys() {
  const canRead = useCan("admin.api-keys.read");
  const { data } = useRead(["api-keys", "names"], () => api.GET("/api/api-keys"), {
    enabled: canRead,
  });
  return canRead ? (data?.api_keys ?? []) : null;
}

interface NumberProps {
  label: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}

function NumberField({ label, value, onChange }: NumberProps) {
  return (
    <TextField
      label={label}
      value={value ?? ""}
      slotProps={{ htmlInput: { inputMode: "numeric", maxLength: 15 } }}
      onChange={({ target }) => {
        const digits = target.value.replaceAll(/\D/g, "");
        onChange(digits === "" ? undefined : Number(digits));
      }}
    />
  );
}

interface MomentProps {
  label: string;
  /** In UTC, as the service wants it. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** A moment in the reader's time zone. */
function MomentField({ label, value, onChange }: MomentProps) {
  return (
    <TextField
      type="datetime-local"
      label={label}
      value={value === undefined ? "" : localMoment(value)}
      slotProps={{ inputLabel: { shrink: true } }}
      onChange={({ target }) =>
        onChange(target.value === "" ? undefined : new Date(target.value).toISOString())
      }
    />
  );
}

/** An action as a choice: its sentence without who did it, `Blocked user …`. */
function useActionLabel(): (action: string) => string {
  const t = useText();
  return (action) => {
    const text = t(`audit.actions.${action}` as TextKey, { smart_count: 2 })
      .replace(/^%\{actor\}:?\s*/, "")
      .replaceAll(/%\{\w+\}/g, "…")
      .replace(/ 2 /, " … ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  };
}
