import { Autocomplete, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { api } from "../../api/client";
import { SHORTEST_SEARCH } from "../../api/lists";
import { findPeople } from "../../api/people";
import { useRead } from "../../api/useRead";
import { useAct } from "../../components/useAct";
import { useDelayed } from "../../components/useDelayed";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { type Person, PersonOption } from "../operators/UserSearch";
import { isName } from "./subject";
import type { BanFilters } from "./useBans";
import { filtersOf } from "./useSearched";

const DELAY_MS = 300;
const SHOWN = 6;

interface Props {
  filters: BanFilters;
  onChange: (changes: BanFilters) => void;
}

/** Finds the bans of a player: by SteamID in any spelling, by address, or by user. */
export function BanSearch({ filters, onChange }: Props) {
  const t = useText();
  const mayFindUsers = useCan("admin.users.read");
  const [, act] = useAct();
  const shown = useShownText(filters);
  const [typed, setTyped] = useState(shown);
  const text = useDelayed(typed.trim(), DELAY_MS);
  // The address may change by itself: a link, or a filter that was cleared. It also follows what was
  // typed, which must not take back what is typed in the meantime.
  const [seen, setSeen] = useState(shown);
  if (shown !== seen) {
    setSeen(shown);
    if (shown !== text) {
      setTyped(shown);
    }
  }
  const search = useEffectEvent((words: string) => {
    if (words !== shown && words === typed.trim()) {
      onChange({ q: words, user_id: undefined });
    }
  });
  useEffect(() => search(text), [text]);

  const mayBeName = text.length >= SHORTEST_SEARCH && isName(text) && filters.user_id === undefined;
  const { data, isFetching } = useQuery({
    queryKey: ["users", "search", text],
    queryFn: () => findPeople(text, SHOWN),
    enabled: mayFindUsers && mayBeName,
  });

  return (
    <Autocomplete<Person, false, false, true>
      freeSolo
      value={null}
      inputValue={typed}
      options={mayBeName ? (data ?? []) : []}
      loading={isFetching}
      loadingText={t("common.loading")}
      getOptionLabel={(person) => (typeof person === "string" ? person : person.username)}
      getOptionKey={(person) => (typeof person === "string" ? person : person.id)}
      // The service has searched already, also in the email address.
      filterOptions={(people) => people}
      onInputChange={(_, words, reason) => {
        if (reason === "input" || reason === "clear") {
          setTyped(words);
        }
      }}
      onChange={(_, person) => {
        if (person !== null && typeof person !== "string") {
          act(async () => onChange(await filtersOf(person.id)));
        }
      }}
      renderOption={({ key, ...props }, person) => (
        <PersonOption key={key} {...props} person={person} />
      )}
      renderInput={(params) => (
        <TextField {...params} label={t("bans.search")} placeholder={t("bans.searchHint")} />
      )}
    />
  );
}

/** What the search shows: what was typed, or the name of the user that was chosen. */
function useShownText({ q, user_id: userId }: BanFilters): string {
  const t = useText();
  const mayRead = useCan("admin.users.read");
  const { data } = useRead(
    ["users", userId, "name"],
    () => api.GET("/api/users/{id}", { params: { path: { id: userId ?? 0 } } }),
    { enabled: mayRead && userId !== undefined },
  );
  if (userId === undefined) {
    return q ?? "";
  }
  return data?.user.username ?? t("payments.userOf", { id: userId });
}
