import { Alert, Box, Button, Checkbox, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { grants, useSession } from "../../session/session";
import { Loaded } from "../Loaded";
import { Muted } from "../text";
import {
  type Area,
  areasOf,
  covers,
  isRead,
  type Permission,
  shortest,
  sorted,
  useCatalogue,
  usePermissionText,
} from "./permissions";

interface Props {
  /**
   * Whether one can grant only what one has: so it is for API keys and operators. Roles are for
   * the site, and grant nothing here.
   */
  limited?: boolean;
  disabled?: boolean;
  presets?: readonly Preset[];
}

/** The input `permissions` of a form. */
export function PermissionsInput(options: Props) {
  const t = useText();
  const catalogue = useCatalogue();
  const { field, fieldState, formState } = useInput<{ permissions: Permission[] }>({
    source: "permissions",
  });
  const before = (formState.defaultValues?.["permissions"] ?? []) as Permission[];
  const hadAll = catalogue.data?.every(({ name }) => covers(before, name)) === true;
  return (
    <>
      {fieldState.error !== undefined && <Alert severity="error">{fieldState.error.message}</Alert>}
      {hadAll && fieldState.isDirty && options.limited === true && (
        <Alert severity="warning">{t("permissions.allHint")}</Alert>
      )}
      <Loaded query={catalogue} height={640}>
        {(all) => (
          <PermissionPicker
            all={all}
            value={(field.value ?? []) as Permission[]}
            onChange={field.onChange}
            {...options}
          />
        )}
      </Loaded>
    </>
  );
}

/** A choice that is made often: its name, and the names of its permissions. */
export interface Preset {
  text: string;
  names: readonly string[] | "all";
}

interface PickerProps extends Props {
  /** The catalogue. */
  all: Permission[];
  value: readonly Permission[];
  onChange: (value: Permission[]) => void;
}

/** Chooses permissions by area. One that includes others ticks them as well. */
function PermissionPicker(props: PickerProps) {
  const { all, value, onChange, limited, disabled, presets } = props;
  const t = useText();
  const session = useSession();
  const mayGrant = ({ name }: Permission) => limited !== true || grants(session, name);

  const offered = all.filter(mayGrant);
  const isWhole = offered.length === all.length;
  const choose = (wanted: Permission[]) => onChange(sorted(shortest(wanted)));
  // A preset may have a better name for everything.
  const hasOwn = presets?.some(({ names }) => names === "all") === true;
  const chosen = all.filter(({ name }) => covers(value, name)).length;
  const choices: { text: string; wanted: Permission[] }[] = [
    ...(hasOwn
      ? []
      : [
          {
            text: t(isWhole ? "permissions.selectAll" : "permissions.selectMine"),
            wanted: offered,
          },
        ]),
    { text: t("permissions.readOnly"), wanted: offered.filter(({ name }) => isRead(name)) },
    ...(presets ?? []).map(({ text, names }) => ({
      text,
      wanted: offered.filter(({ name }) => names === "all" || names.includes(name)),
    })),
    { text: t("common.clear"), wanted: [] },
  ];

  return (
    <Box>
      {disabled !== true && (
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1, mb: 1.5 }}>
          {choices.map(({ text, wanted }) => (
            <Button key={text} variant="outlined" onClick={() => choose(wanted)}>
              {text}
            </Button>
          ))}
          <Muted role="status" sx={{ ml: "auto" }}>
            {t("permissions.chosen", { smart_count: chosen })}
          </Muted>
        </Box>
      )}
      {!isWhole && disabled !== true && (
        <Alert severity="info" sx={{ mb: 1.5 }}>
          {t("permissions.limited")}
        </Alert>
      )}
      <Box sx={{ border: 1, borderColor: "divider", borderRadius: 1, overflow: "hidden" }}>
        {areasOf(all).map((area) => (
          <AreaRow
            key={area.name}
            area={area}
            value={value}
            mayGrant={mayGrant}
            disabled={disabled === true}
            onToggle={(permission, isOn) =>
              onChange(
                sorted(
                  isOn ? [...value, permission] : value.filter(({ id }) => id !== permission.id),
                ),
              )
            }
          />
        ))}
      </Box>
    </Box>
  );
}

interface AreaProps {
  area: Area;
  value: readonly Permission[];
  mayGrant: (permission: Permission) => boolean;
  disabled: boolean;
  onToggle: (permission: Permission, isOn: boolean) => void;
}

function AreaRow({ area, value, mayGrant, disabled, onToggle }: AreaProps) {
  const t = useText();
  const text = usePermissionText();
  const id = useId();
  return (
    <Box
      role="group"
      aria-labelledby={id}
      sx={{
        display: "grid",
        gridTemplateColumns: { xs: "1fr", md: "150px 1fr" },
        columnGap: 2,
        px: 2,
        py: 1,
        "& + &": { borderTop: 1, borderColor: "divider" },
      }}
    >
      <Typography variant="h3" component="h3" id={id} sx={{ py: 1 }}>
        {text.area(area.name)}
      </Typography>
      <Box>
        {area.permissions.map((permission) => {
          const others = value.filter((other) => other.id !== permission.id);
          const isIncluded = covers(others, permission.name);
          const isLacking = !mayGrant(permission);
          const isRefused = !disabled && !isIncluded && isLacking;
          return (
            <Choice
              key={permission.id}
              name={`${text.area(area.name)}: ${text.level(permission)}`}
              level={text.level(permission)}
              allows={text.allows(permission)}
              reason={isRefused ? t("permissions.lacking") : ""}
              checked={covers(value, permission.name)}
              disabled={disabled || isIncluded || isLacking}
              onToggle={(isOn) => onToggle(permission, isOn)}
            />
          );
        })}
      </Box>
    </Box>
  );
}

interface ChoiceProps {
  name: string;
  level: string;
  allows: ReactNode;
  /** Why it cannot be changed. */
  reason: string;
  checked: boolean;
  disabled: boolean;
  onToggle: (isOn: boolean) => void;
}

function Choice({ name, level, allows, reason, checked, disabled, onToggle }: ChoiceProps) {
  const id = useId();
  return (
    <Box
      component="label"
      sx={{
        display: "flex",
        alignItems: "flex-start",
        gap: 0.5,
        cursor: disabled ? "default" : "pointer",
      }}
    >
      <Checkbox
        size="small"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onToggle(event.target.checked)}
        slotProps={{ input: { "aria-label": name, "aria-describedby": id } }}
        sx={{ p: 0.75 }}
      />
      <Muted id={id} sx={{ py: 0.625 }}>
        <Box component="span" sx={{ color: "text.primary", fontWeight: 600, mr: 1 }}>
          {level}
        </Box>
        {allows}
        {reason !== "" && <Box sx={{ fontStyle: "italic" }}>{reason}</Box>}
      </Muted>
    </Box>
  );
}
