import { Autocomplete, Box, TextField, Typography } from "@mui/material";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { ColourDot, RoleChip } from "../RoleChip";
import { type Role, useRoles } from "../useRoles";

/** The input `roles` of a form. Those who may not read roles can only remove them. */
export function RolesInput({ label, hint }: { label?: string; hint?: string }) {
  const t = useText();
  const mayRead = useCan("admin.roles.read");
  const all = useRoles();
  const { field, fieldState } = useInput<Role[]>({ source: "roles", defaultValue: [] });
  const chosen = Array.isArray(field.value) ? field.value : [];
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      filterSelectedOptions
      options={all}
      value={chosen}
      disabled={field.disabled === true}
      getOptionLabel={({ name }) => name}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      noOptionsText={t(mayRead ? "users.roles.noMore" : "users.roles.mayNotRead")}
      onChange={(_, roles) => field.onChange([...roles].sort((a, b) => a.id - b.id))}
      onBlur={field.onBlur}
      renderOption={({ key, ...props }, { name, description, color, members }) => (
        <li key={key} {...props}>
          <ColourDot colour={color} />
          <Box sx={{ ml: 1.25, flexGrow: 1 }}>
            <Typography variant="body2" sx={{ fontWeight: 550 }}>
              {name}
            </Typography>
            <Typography variant="caption" color="textSecondary">
              {description}
            </Typography>
          </Box>
          {members !== undefined && (
            <Typography
              variant="caption"
              color="textSecondary"
              sx={{ ml: 1, whiteSpace: "nowrap" }}
            >
              {t("roles.holders", { smart_count: members })}
            </Typography>
          )}
        </li>
      )}
      renderValue={(roles, getItemProps) =>
        roles.map((role, index) => {
          const { key, ...props } = getItemProps({ index });
          return <RoleChip key={key} role={role} {...props} />;
        })
      }
      renderInput={(props) => (
        <TextField
          {...props}
          label={label ?? t("common.resources.roles")}
          error={fieldState.invalid}
          helperText={fieldState.error?.message ?? hint}
        />
      )}
    />
  );
}
