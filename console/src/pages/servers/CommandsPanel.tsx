import { Alert, Box, Button } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import type { RaRecord } from "react-admin";
import { useFormContext, useWatch } from "react-hook-form";
import { api, request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { EditForm } from "../../components/form/EditForm";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BAN_PLACEHOLDERS } from "../payments/products/command";
import { CommandInputs } from "../payments/products/CommandInputs";
import { type ServerCommands, usualCommands } from "./commands";
import { findGame } from "./games";
import type { Server } from "./live";
import { useGames } from "./ServerFields";

/** The commands of a server, as a record that can be edited. */
type Commands = ServerCommands & RaRecord<number> & { [ETAG]?: string };

const NAMES = ["kick_command", "mute_command", "unmute_command"] as const;
const LONGEST = 200;
/** How long the mute of the preview is. */
const AN_HOUR = 3600;

async function readCommands(id: number): Promise<Commands> {
  const { data, response } = await api.GET("/api/servers/{id}/commands", {
    params: { path: { id } },
  });
  if (data === undefined) {
    throw new Error("the reply has no body");
  }
  const etag = response.headers.get("ETag");
  return { ...data.commands, id, ...(etag !== null && { [ETAG]: etag }) };
}

/** What is sent to the console of a server when a player is banned or muted. */
export function CommandsPanel({ server }: { server: Server }) {
  const t = useText();
  const { id } = server;
  const mayRun = useCan("admin.servers.rcon");
  const commands = useQuery({
    queryKey: ["servers", id, "commands"],
    queryFn: () => readCommands(id),
    enabled: mayRun,
  });
  if (!mayRun) {
    return null;
  }
  return (
    <Panel title={t("servers.commands.title")} hint={t("servers.commands.hint")}>
      <Loaded query={commands} height={320}>
        {(record) => (
          <EditForm<Commands>
            resource="servers"
            record={record}
            readOnly={false}
            fields={Object.fromEntries(
              NAMES.map((name) => [name, t(`servers.commands.fields.${name}`)]),
            )}
            save={(changes, ifMatch) =>
              request("PUT", `/api/servers/${id}/commands`, { body: changes, ifMatch })
            }
            read={() => readCommands(id)}
          >
            <UsualCommands game={server.game} />
            <CommandInputs
              commands={[
                { source: "kick_command", label: t("servers.commands.fields.kick_command") },
                {
                  source: "mute_command",
                  label: t("servers.commands.fields.mute_command"),
                  hint: t("servers.commands.muteHint"),
                },
                { source: "unmute_command", label: t("servers.commands.fields.unmute_command") },
              ]}
              placeholders={BAN_PLACEHOLDERS}
              length={LONGEST}
              serverId={id}
              seconds={AN_HOUR}
            />
          </EditForm>
        )}
      </Loaded>
    </Panel>
  );
}

/** Fills in the usual commands of the game, or says that none are known. */
function UsualCommands({ game: stored }: { game: string }) {
  const t = useText();
  const { setValue } = useFormContext();
  const { data: games } = useGames();
  const game = findGame(games ?? [], stored);
  const usual = usualCommands(game?.id);
  const current = useWatch({ name: NAMES }) as unknown[];
  if (game === undefined || usual === null) {
    return games === undefined ? null : (
      <Alert severity="info">{t("servers.commands.noUsual", { game: game?.name ?? stored })}</Alert>
    );
  }
  const isUsed = NAMES.every((name, index) => (current[index] ?? null) === usual[name]);
  return (
    <Box>
      <Button
        variant="outlined"
        disabled={isUsed}
        onClick={() => NAMES.forEach((name) => setValue(name, usual[name], { shouldDirty: true }))}
      >
        {t("servers.commands.usual", { game: game.name })}
      </Button>
    </Box>
  );
}
