import { Autocomplete, TextField } from "@mui/material";
import { useInput } from "react-admin";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useServerName, useServers } from "../choices";

interface Props {
  source: string;
  hint?: string;
  /** Shown where none is chosen. */
  placeholder?: string;
}

/** Servers of a step or of a ban. Those who may not read servers leave them as they are. */
export function ServersInput({ source, hint, placeholder }: Props) {
  const t = useText();
  const mayRead = useCan("admin.servers.read");
  const name = useServerName();
  const ids = useServers().map(({ id }) => id);
  const { field, fieldState } = useInput<number[]>({ source });
  const chosen = Array.isArray(field.value) ? (field.value as number[]) : [];
  return (
    <Autocomplete
      multiple
      disableCloseOnSelect
      filterSelectedOptions
      options={ids}
      value={chosen}
      disabled={field.disabled === true || !mayRead}
      getOptionLabel={name}
      getOptionKey={(id) => id}
      noOptionsText={t(ids.length === 0 ? "lists.empty.servers" : "common.noResults")}
      onChange={(_, value) => field.onChange(value)}
      onBlur={field.onBlur}
      renderInput={(props) => (
        <TextField
          {...props}
          inputRef={field.ref}
          label={t("products.steps.servers")}
          error={fieldState.invalid}
          helperText={
            fieldState.error?.message ?? (mayRead ? hint : t("products.steps.serversHidden"))
          }
          {...(chosen.length === 0 && placeholder !== undefined && { placeholder })}
          slotProps={{
            ...props.slotProps,
            // The placeholder is seen also before the field has the focus.
            ...(placeholder !== undefined && {
              inputLabel: { ...props.slotProps.inputLabel, shrink: true },
            }),
          }}
        />
      )}
    />
  );
}
