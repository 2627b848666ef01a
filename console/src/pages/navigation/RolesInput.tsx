import Autocomplete from "@mui/material/Autocomplete";
import TextField from "@mui/material/TextField";
import { useInput } from "react-admin";
import type { Schemas } from "../../api/client";
import { useText } from "../../i18n";
import { useRoles } from "./useRoles";

type Role = Schemas["NavbarItemRole"];

/** The roles that see an item. */
export function RolesInput({ source, label }: { source: string; label: string }) {
  const t = useText();
  const { field, fieldState } = useInput<Role[]>({ source });
  const { roles, mayRead } = useRoles();
  const value = (field.value ?? []) as Role[];
  return (
    <Autocomplete
      multiple
      fullWidth
      disableCloseOnSelect
      options={mayRead ? roles : value}
      value={value}
      disabled={field.disabled === true}
      getOptionLabel={(role) => role.name}
      getOptionKey={(role) => role.id}
      isOptionEqualToValue={(one, other) => one.id === other.id}
      onChange={(_, next) => field.onChange(next)}
      renderInput={(params) => (
        <TextField
          {...params}
          label={label}
          error={fieldState.invalid}
          helperText={
            fieldState.error?.message ??
            t(mayRead ? "navigation.hints.roles" : "navigation.hints.noRoles")
          }
        />
      )}
    />
  );
}
