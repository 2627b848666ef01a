import Autocomplete, { createFilterOptions } from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import TextField from "@mui/material/TextField";
import { InputHelperText, required, useInput } from "react-admin";
import { useText } from "../../i18n";
import { findGame, type Game } from "./games";
import { useGames } from "./useGames";

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
  const choose = (text: string) => {
    const game = games.find(({ name }) => name === text) ?? findGame(games, text);
    field.onChange(game?.id ?? text.trim());
    field.onBlur();
  };
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
      onChange={(_, game) => choose(typeof game === "string" ? game : (game?.id ?? ""))}
      // What was typed counts once the field is left: a word on the way to another one may be the
      // id of a game, too.
      onBlur={({ target }) => target instanceof HTMLInputElement && choose(target.value)}
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
