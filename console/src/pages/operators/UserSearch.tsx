import { Autocomplete, Box, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { SHORTEST_SEARCH } from "../../api/lists";
import { findPeople } from "../../api/people";
import { Muted } from "../../components/text";
import { useDelayed } from "../../components/useDelayed";
import { useText } from "../../i18n";

const SHOWN = 10;
const DELAY_MS = 150;

export interface Person {
  id: number;
  username: string;
  email: string;
}

interface Props {
  value: Person | null;
  onChange: (person: Person | null) => void;
  error: string | null;
}

/** Finds a user by name, email address, SteamID or Discord. */
export function UserSearch({ value, onChange, error }: Props) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const query = useDelayed(typed.trim(), DELAY_MS);
  const isLong = query.length >= SHORTEST_SEARCH;
  const { data, isFetching } = useQuery({
    queryKey: ["users", "search", query],
    queryFn: () => findPeople(query, SHOWN),
    enabled: isLong && query !== value?.username,
  });
  return (
    <Autocomplete<Person>
      value={value}
      options={isLong ? (data ?? []) : []}
      loading={isFetching}
      loadingText={t("common.loading")}
      noOptionsText={t(isLong ? "operators.grant.nobody" : "operators.grant.userHint")}
      getOptionLabel={({ username }) => username}
      getOptionKey={({ id }) => id}
      isOptionEqualToValue={(a, b) => a.id === b.id}
      // The service has searched already, also in the email address.
      filterOptions={(people) => people}
      onChange={(_, person) => onChange(person)}
      onInputChange={(_, text) => setTyped(text)}
      renderOption={({ key, ...props }, person) => (
        <PersonOption key={key} {...props} person={person} />
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label={t("common.user")}
          placeholder={t("common.findUser")}
          error={error !== null}
          helperText={error ?? value?.email ?? t("operators.grant.userHint")}
        />
      )}
    />
  );
}

interface OptionProps extends ComponentProps<"li"> {
  person: Pick<Person, "username" | "email">;
}

/** A user to choose from. */
export function PersonOption({ person: { username, email }, ...props }: OptionProps) {
  return (
    <Box component="li" {...props}>
      <Box>
        {username}
        <Muted>{email}</Muted>
      </Box>
    </Box>
  );
}
