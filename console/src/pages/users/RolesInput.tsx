import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import Typography from "@mui/material/Typography";
import { useInput } from "react-admin";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import type { Role } from "./types";
import { useRoles } from "./useRoles";

interface Props {
  hint?: string;
}

/** Chooses roles. Without the permission to read them, those that are there can only be removed. */
export function RolesInput({ hint }: Props) {
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
      renderOption={({ key, ...props }, { name, description }) => (
        <li key={key} {...props}>
          <Box>
            <Typography variant="body2" sx={{ fontWeight: 550 }}>
              {name}
            </Typography>
            <Typography variant="caption" color="textSecondary">
              {description}
            </Typography>
          </Box>
        </li>
      )}
      renderInput={(props) => (
        <TextField
          {...props}
          label={t("users.roles.title")}
          error={fieldState.invalid}
          helperText={fieldState.error?.message ?? hint}
        />
      )}
    />
  );
}
