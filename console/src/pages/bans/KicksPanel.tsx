import { Box, Button, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { Panel } from "../../components/Page";
import { Muted, State } from "../../components/text";
import { useAct, useDone } from "../../components/useAct";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { useServerName } from "../payments/choices";
import type { BanRecord } from "./ban";
import { commandsOf, failureText, type SentCommand, SENT_TONES } from "./commands";

const REFRESH_MS = 1000;

/** What was sent to the servers. No event tells whether it arrived, so it is read again. */
function useCommands(ban: BanRecord): SentCommand[] {
  const { id } = ban;
  const shown = commandsOf(ban);
  const { data } = useQuery({
    queryKey: ["bans", id, "commands", shown],
    queryFn: async () => {
      const reply = await body(api.GET("/api/bans/{id}", { params: { path: { id } } }));
      return commandsOf(reply.ban);
    },
    initialData: shown,
    refetchInterval: ({ state }) =>
      state.data?.some((command) => command.state === "pending") === true ? REFRESH_MS : false,
  });
  return data;
}

/** The commands for a ban by server, and a button that kicks again. */
export function KicksPanel({ ban }: { ban: BanRecord }) {
  const t = useText();
  const done = useDone();
  const mayWrite = useCan("admin.bans");
  const [isBusy, act] = useAct();
  const commands = useCommands(ban);
  const kicks = commands.filter(({ command }) => command === "kick");
  const isWaiting = kicks.some(({ state }) => state === "pending");
  const again = async () => {
    await api.POST("/api/bans/{id}/kick", { params: { path: { id: ban.id } } });
    done(t("bans.kicks.done"));
  };
  return (
    <Panel
      title={t("bans.kicks.title")}
      actions={
        mayWrite &&
        ban.kind === "ban" &&
        ban.state === "active" && (
          <Button loading={isBusy} disabled={isWaiting} onClick={() => act(again)}>
            {t(kicks.length === 0 ? "bans.kicks.send" : "bans.kicks.again")}
          </Button>
        )
      }
    >
      {commands.length === 0 ? (
        <Muted>{t("bans.kicks.none")}</Muted>
      ) : (
        <Box
          component="ul"
          aria-live="polite"
          sx={{ display: "grid", gap: 1, m: 0, p: 0, listStyle: "none" }}
        >
          {commands.map((command) => (
            <CommandLine key={`${command.server_id} ${command.command}`} sent={command} />
          ))}
        </Box>
      )}
    </Panel>
  );
}

function CommandLine({ sent: { server_id, command, state, error } }: { sent: SentCommand }) {
  const t = useText();
  const tokens = useTokens();
  const serverName = useServerName();
  const known = error === null ? null : failureText(error);
  return (
    <li>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1 }}>
        <Typography variant="body2" sx={{ flexGrow: 1, overflowWrap: "anywhere" }}>
          {t(`bans.kicks.kinds.${command}`)}: {serverName(server_id)}
        </Typography>
        <State tone={SENT_TONES[state]} text={t(`bans.kicks.states.${state}`)} />
      </Box>
      {error !== null && (
        <Typography
          variant="body2"
          sx={{ color: state === "failed" ? tokens.bad : tokens.warn, overflowWrap: "anywhere" }}
        >
          {known === null ? error : t(known)}
        </Typography>
      )}
    </li>
  );
}
