import { Alert, Box, Button, InputAdornment, TextField } from "@mui/material";
import { type KeyboardEvent, type SubmitEvent, useEffect, useRef, useState } from "react";
import { api, body } from "../../api/client";
import { Panel } from "../../components/Page";
import { useErrorText, useText } from "../../i18n";
import { useSession } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";
import { addEntry, clearEntries, commandsOf, type Entry, useEntries } from "./consoleLog";
import type { Server } from "./live";

/** Runs commands on the console of a game server. */
export function ConsolePanel({ server: { id, enabled } }: { server: Server }) {
  const t = useText();
  const tokens = useTokens();
  const session = useSession();
  const name = `${session?.operator?.user_id ?? session?.key?.name ?? ""}/${id}`;
  const entries = useEntries(name);
  const [command, setCommand] = useState("");
  const [isBusy, setBusy] = useState(false);
  /** How far back in the history; 0 is what is being typed. */
  const [back, setBack] = useState(0);
  const [draft, setDraft] = useState("");
  const output = useRef<HTMLDivElement>(null);

  useEffect(() => {
    output.current?.scrollTo({ top: output.current.scrollHeight });
  }, [entries]);

  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    const line = command.trim();
    if (line === "" || isBusy) {
      return;
    }
    setCommand("");
    setBack(0);
    setBusy(true);
    const finish = addEntry(name, line);
    try {
      const { answer, truncated } = await body(
        api.POST("/api/servers/{id}/rcon", { params: { path: { id } }, body: { command: line } }),
      );
      finish({ answer, truncated });
    } catch (error) {
      finish({ error });
    } finally {
      setBusy(false);
    }
  };

  const recall = (event: KeyboardEvent) => {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const commands = commandsOf(entries);
    const next = back + (step ?? 0);
    if (step === undefined || next < 0 || next > commands.length) {
      return;
    }
    event.preventDefault();
    if (back === 0) {
      setDraft(command);
    }
    setBack(next);
    setCommand(next === 0 ? draft : (commands[commands.length - next] ?? ""));
  };

  return (
    <Panel
      title={t("servers.tabs.console")}
      hint={t("servers.console.hint")}
      actions={
        entries.length > 0 && (
          <Button onClick={() => clearEntries(name)}>{t("common.clear")}</Button>
        )
      }
    >
      {!enabled && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t("servers.console.disabled")}
        </Alert>
      )}
      <Box
        ref={output}
        role="log"
        aria-label={t("servers.console.output")}
        tabIndex={0}
        sx={{
          height: { xs: 300, sm: 420 },
          overflowY: "auto",
          p: 2,
          mb: 1.5,
          borderRadius: 1,
          border: 1,
          borderColor: "divider",
          bgcolor: tokens.inset,
          fontFamily: MONOSPACE,
          fontSize: 13,
          lineHeight: 1.55,
        }}
      >
        {entries.length === 0 ? (
          <Box sx={{ color: "text.secondary" }}>{t("servers.console.empty")}</Box>
        ) : (
          entries.map((entry, index) => <ConsoleEntry key={`${entry.at}/${index}`} entry={entry} />)
        )}
      </Box>
      <Box component="form" onSubmit={(event) => void run(event)} sx={{ display: "flex", gap: 1 }}>
        <TextField
          fullWidth
          label={t("servers.console.command")}
          value={command}
          disabled={!enabled}
          onChange={(event) => {
            setCommand(event.target.value);
            setBack(0);
          }}
          onKeyDown={recall}
          slotProps={{
            input: {
              startAdornment: <InputAdornment position="start">&gt;</InputAdornment>,
              sx: { fontFamily: MONOSPACE },
            },
            htmlInput: {
              maxLength: 1000,
              autoComplete: "off",
              autoCapitalize: "off",
              autoCorrect: "off",
              spellCheck: false,
            },
          }}
        />
        <Button type="submit" variant="contained" loading={isBusy} disabled={!enabled}>
          {t("servers.console.run")}
        </Button>
      </Box>
    </Panel>
  );
}

/** A command, and below it the answer or why there is none. */
function ConsoleEntry({ entry: { command, answer, truncated, error } }: { entry: Entry }) {
  const t = useText();
  const errorText = useErrorText();
  return (
    <Box sx={{ mb: 1.5 }}>
      <Box sx={{ color: "primary.main", fontWeight: 600, overflowWrap: "anywhere" }}>
        {`> ${command}`}
      </Box>
      {error !== null ? (
        <Box sx={{ color: "error.main", fontFamily: "fontFamily" }}>{errorText(error)}</Box>
      ) : answer === null ? (
        <Box sx={{ color: "text.secondary" }}>{t("servers.console.waiting")}</Box>
      ) : answer === "" ? (
        <Box sx={{ color: "text.secondary" }}>{t("servers.console.noAnswer")}</Box>
      ) : (
        <Box sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{answer}</Box>
      )}
      {truncated && (
        <Box sx={{ color: "warning.main", fontFamily: "fontFamily" }}>
          {t("servers.console.truncated")}
        </Box>
      )}
    </Box>
  );
}
