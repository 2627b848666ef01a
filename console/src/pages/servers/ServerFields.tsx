import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { NumberInput, PasswordInput, required, TextInput } from "react-admin";
import { useFormContext, useWatch } from "react-hook-form";
import { useText } from "../../i18n";
import { GameInput } from "./GameInput";
import { findGame } from "./games";
import { MASK } from "./types";
import { useGames } from "./useGames";

/** Shows the mask of a stored password as an empty field; an empty field keeps that password. */
const STORED = {
  format: (value: unknown) => (value === MASK ? "" : (value ?? "")),
  parse: (value: string) => (value === "" ? MASK : value),
};

/** The inputs for a server, new or not. */
export function ServerFields({ isNew }: { isNew: boolean }) {
  const t = useText();
  const isRequired = required();
  return (
    <>
      <TextInput
        source="name"
        label={t("common.name")}
        helperText={t("servers.form.name")}
        validate={isRequired}
      />
      <GameInput />
      <Box
        sx={{
          display: "grid",
          columnGap: 2,
          gridTemplateColumns: { xs: "1fr", sm: "2fr 1fr 1fr" },
          alignItems: "start",
        }}
      >
        <TextInput
          source="ip"
          label={t("servers.fields.ip")}
          helperText={t("servers.form.ip")}
          validate={isRequired}
        />
        <NumberInput
          source="port"
          label={t("servers.fields.port")}
          helperText={t("servers.form.port")}
          validate={isRequired}
          min={1}
          max={65535}
        />
        <Box>
          <NumberInput
            source="query_port"
            label={t("servers.fields.queryPort")}
            helperText={t("servers.form.queryPort")}
            min={1}
            max={65535}
          />
          <UsualPort />
        </Box>
      </Box>
      <PasswordInput
        source="rcon_password"
        label={t("servers.fields.rconPassword")}
        helperText={t(isNew ? "servers.form.rconPassword" : "servers.form.storedPassword")}
        autoComplete="new-password"
        {...(isNew ? { validate: isRequired } : STORED)}
      />
    </>
  );
}

/** Fills in the port that servers of the chosen game answer queries on, unless told otherwise. */
function UsualPort() {
  const t = useText();
  const { setValue, formState } = useFormContext();
  const [game, port, queryPort] = useWatch({ name: ["game", "port", "query_port"] }) as unknown[];
  const { data } = useGames();
  const usual = findGame(data ?? [], String(game ?? ""))?.default_query_port;
  if (usual === undefined || formState.disabled) {
    return null;
  }
  const isUsed = (queryPort ?? port) === usual;
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
