import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { AuditFilters } from "../../components/audit/log";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { actions } from "./actions";
import { useActionLabel } from "./useActionLabel";

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
  const { resource, action, key_id: keyId, resource_id: resourceId, from, to } = filters;
  const known = RESOURCES.find((one) => one === resource);
  const kinds = known === undefined ? [] : Object.keys(actions.en[known]);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Box
      role="search"
      sx={{
        display: "grid",
        gridTemplateColumns: "repeat(auto-fill, minmax(150px, 1fr))",
        gap: 1,
        mb: 1.5,
      }}
    >
      <TextField
        select
        label={t("audit.resource")}
        value={known ?? ""}
        onChange={({ target }) =>
          onChange({ resource: target.value, action: undefined, resource_id: undefined })
        }
      >
        <MenuItem value="">{t("common.all")}</MenuItem>
        {RESOURCES.map((one) => (
          <MenuItem key={one} value={one}>
            {t(`audit.resources.${one}`)}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        select
        label={t("audit.action")}
        disabled={known === undefined}
        value={kinds.some((kind) => `${known}.${kind}` === action) ? action : ""}
        onChange={({ target }) => onChange({ action: target.value })}
      >
        <MenuItem value="">{t("common.all")}</MenuItem>
        {kinds.map((kind) => (
          <MenuItem key={kind} value={`${known}.${kind}`}>
            {label(`${known}.${kind}`)}
          </MenuItem>
        ))}
      </TextField>
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
        <TextField
          select
          label={t("audit.key")}
          value={keys.some(({ id }) => id === keyId) ? String(keyId) : ""}
          onChange={({ target }) =>
            onChange({ key_id: target.value === "" ? undefined : Number(target.value) })
          }
        >
          <MenuItem value="">{t("common.all")}</MenuItem>
          {keys.map(({ id, name }) => (
            <MenuItem key={id} value={String(id)}>
              {name}
            </MenuItem>
          ))}
        </TextField>
      )}
      <MomentField
        label={t("audit.from")}
        value={from}
        onChange={(value) => onChange({ from: value })}
      />
      <MomentField label={t("audit.to")} value={to} onChange={(value) => onChange({ to: value })} />
      {isFiltered && <Button onClick={onClear}>{t("common.clearFilters")}</Button>}
    </Box>
  );
}

/** The API keys to choose from; null for people who may not read them. */
function useKeys() {
  const canRead = useCan("admin.api-keys.read");
  const { data } = useQuery({
    queryKey: ["api-keys", "names"],
    queryFn: () => body(api.GET("/api/api-keys")),
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

/** `2026-03-01T12:00:00Z` as the field wants it: `2026-03-01T15:00` in Moscow. */
function localMoment(at: string): string {
  const date = new Date(at);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(date.getTime()) ? "" : shifted.toISOString().slice(0, 16);
}
