import Autocomplete, { createFilterOptions } from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import { InputHelperText, required, useInput } from "react-admin";
import { useText } from "../../i18n";
import { findGame, type Game, useGames } from "./games";

const filter = createFilterOptions<Game | string>({
  limit: 60,
  stringify: (game) =>
    typeof game === "string"
      ? game
      : [game.name, game.id, ...game.aliases, ...game.steam_app_ids].join(" "),
});

/** Chooses the game from those that the service knows. Any other word is possible, too. */
export function GameInput() {
  const t = useText();
  const { data } = useGames();
  const games = data ?? [];
  const { field, fieldState, id } = useInput<string>({ source: "game", validate: required() });
  const stored = field.value ?? "";
  const chosen = findGame(games, stored);
  return (
    <Autocomplete<Game | string, false, false, true>
      // The field shows the name of a stored id once the games are known.
      key={data === undefined ? "loading" : "ready"}
      freeSolo
      id={id}
      options={games}
      value={chosen ?? stored}
      disabled={field.disabled === true}
      filterOptions={filter}
      getOptionLabel={(game) => (typeof game === "string" ? game : game.name)}
      getOptionKey={(game) => (typeof game === "string" ? game : game.id)}
      isOptionEqualToValue={(option, value) => option === value}
      onChange={(_, game) => field.onChange(typeof game === "string" ? game : (game?.id ?? ""))}
      onInputChange={(_, text, reason) => {
        if (reason === "input") {
          field.onChange(games.find(({ name }) => name === text)?.id ?? text);
        }
      }}
      onBlur={field.onBlur}
      renderOption={({ key, ...props }, game) =>
        typeof game !== "string" && (
          <Box component="li" key={key} {...props}>
            <Box sx={{ flexGrow: 1 }}>{game.name}</Box>
            <Box sx={{ color: "text.secondary", fontSize: 13, pl: 2 }}>{game.id}</Box>
          </Box>
        )
      }
      renderInput={(props) => (
        <TextField
          {...props}
          required
          label={t("servers.fields.game")}
          error={fieldState.invalid}
          helperText={
            fieldState.invalid ? (
              <InputHelperText error={fieldState.error?.message} />
            ) : stored !== "" && chosen === undefined && data !== undefined ? (
              t("servers.form.unknownGame")
            ) : (
              t("servers.form.game")
            )
          }
        />
      )}
    />
  );
}
