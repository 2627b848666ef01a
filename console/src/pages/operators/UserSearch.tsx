import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { useText } from "../../i18n";
import { useDelayed } from "../../layout/useFound";

/** The service searches for three characters and more. */
const SHORTEST = 3;
const SHOWN = 10;

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

/** Finds a user by the beginning of the name or of the email address. */
export function UserSearch({ value, onChange, error }: Props) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const query = useDelayed(typed.trim());
  const isLong = query.length >= SHORTEST;
  const { data, isFetching } = useQuery({
    queryKey: ["users", "search", query],
    queryFn: () =>
      body(api.GET("/api/users/search", { params: { query: { q: query, per_page: SHOWN } } })),
    enabled: isLong && query !== value?.username,
  });
  return (
    <Autocomplete<Person>
      value={value}
      options={isLong ? (data?.users ?? []) : []}
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
      renderOption={({ key, ...props }, { username, email }) => (
        <Box component="li" key={key} {...props}>
          <Box>
            {username}
            <Typography variant="body2" color="textSecondary">
              {email}
            </Typography>
          </Box>
        </Box>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label={t("operators.grant.user")}
          error={error !== null}
          helperText={error ?? value?.email ?? t("operators.grant.userHint")}
        />
      )}
    />
  );
}
