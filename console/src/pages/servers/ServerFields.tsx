import { Alert, Autocomplete, Box, createFilterOptions, Button, TextField } from "@mui/material";
import { NumberInput, PasswordInput, TextInput, useDataProvider, useInput } from "react-admin";
import { useFormContext, useWatch } from "react-hook-form";
import { api, request } from "../../api/client";
import { useRead } from "../../api/useRead";
import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Page";
import { useText } from "../../i18n";
import { addressOf, withPlace } from "./address";
import { AddressInput } from "./AddressInput";
import { findGame, type Game } from "./games";
import { MASK, type Server } from "./live";

/** Shows the mask of a stored password as an empty field; an empty field keeps that password. */
const STORED = {
  format: (value: unknown) => (value === MASK ? "" : (value ?? "")),
  parse: (value: string) => (value === "" ? MASK : value),
};

/** The inputs for a server, new or not. */
export function ServerFields({ server }: { server?: Server }) {
  const t = useText();
  const isNew = server === undefined;
  return (
    <>
      <TextInput
        source="name"
        label={t("common.name")}
        helperText={t("servers.form.name")}
        required
      />
      <GameInput />
      <AddressInput stored={server && addressOf(server)} />
      <Box>
        <NumberInput
          source="query_port"
          label={t("servers.fields.queryPort")}
          helperText={t("servers.form.queryPort")}
        />
        <UsualPort />
      </Box>
      <PasswordInput
        source="rcon_password"
        label={t("servers.fields.rconPassword")}
        helperText={t(isNew ? "servers.form.rconPassword" : "servers.form.storedPassword")}
        autoComplete="new-password"
        {...(isNew ? { required: true } : STORED)}
      />
    </>
  );
}

/** Fills in the port that servers of the chosen game answer queries on, unless told otherwise. */
function UsualPort() {
  const t = useText();
  const { setValue, formState } = useFormContext();
  const [game, address, queryPort] = useWatch({
    name: ["game", "address", "query_port"],
  }) as unknown[];
  const { data } = useGames();
  const usual = findGame(data ?? [], String(game ?? ""))?.default_query_port;
  if (usual === undefined || formState.disabled) {
    return null;
  }
  const isUsed =
    queryPort === usual || (queryPort == null && String(address).endsWith(`:${usual}`));
  return (
    <Button
      disabled={isUsed}
      onClick={() => setValue("query_port", usual, { shouldDirty: true })}
      sx={{ mt: -0.5, px: 1 }}
    >
      {t("servers.form.usualPort", { port: usual })}
    </Button>
  );
}

const filter = createFilterOptions<Game | string>({
  limit: 60,
  stringify: (game) =>
    typeof game === "string"
      ? game
      : [game.name, game.id, ...game.aliases, ...game.steam_app_ids].join(" "),
});

/** Chooses the game from those that the service knows. Any other word is possible, too. */
function GameInput() {
  const t = useText();
  const { data } = useGames();
  const games = data ?? [];
  const { field, fieldState, id } = useInput<string>({ source: "game" });
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
            fieldState.invalid
              ? fieldState.error?.message
              : stored !== "" && chosen === undefined && data !== undefined
                ? t("servers.form.unknownGame")
                : t("servers.form.game")
          }
        />
      )}
    />
  );
}

/** The name of a game, or what is stored where the service does not know it. */
export function GameName({ id }: { id: string }) {
  const { data } = useGames();
  return <>{findGame(data ?? [], id)?.name ?? id}</>;
}

/** A server with its address in one field, as the form has it. */
type Addressed = Server & { address: string };

function addressed(server: Server): Addressed {
  return { ...server, address: addressOf(server) };
}

export function SettingsPanel({ server }: { server: Server }) {
  const t = useText();
  const dataProvider = useDataProvider();
  return (
    <Panel title={t("common.settings")}>
      <EditForm<Addressed>
        resource="servers"
        record={addressed(server)}
        fields={{
          name: t("common.name"),
          game: t("servers.fields.game"),
          address: t("servers.fields.address"),
          query_port: t("servers.fields.queryPort"),
          rcon_password: t("servers.fields.rconPassword"),
        }}
        save={(changes, ifMatch) =>
          withPlace(changes, (body) =>
            request("PUT", `/api/servers/${server.id}`, { body, ifMatch }),
          )
        }
        read={async () => {
          const { data } = await dataProvider.getOne<Server>("servers", { id: server.id });
          return addressed(data);
        }}
      >
        <ServerFields server={server} />
        <PasswordWarning server={server} />
      </EditForm>
    </Panel>
  );
}

/** The service never sends a stored password to another address than the one it was entered for. */
function PasswordWarning({ server }: { server: Server }) {
  const t = useText();
  const [address, password] = useWatch({ name: ["address", "rcon_password"] }) as unknown[];
  return address !== addressOf(server) && password === MASK ? (
    <Alert severity="warning">{t("servers.form.passwordLost")}</Alert>
  ) : null;
}

/** The games that the service knows. They change only with its version. */
export function useGames() {
  return useRead(["games"], () => api.GET("/api/games"), {
    select: ({ games }) => games,
    staleTime: Infinity,
  });
}
