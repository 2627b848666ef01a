import { Box, Stack } from "@mui/material";
import { useState } from "react";
import { api, body } from "../../api/client";
import { Loaded } from "../../components/Loaded";
import { Columns, Page, PageSkeleton } from "../../components/Page";
import { State, type Tone } from "../../components/text";
import { useAct } from "../../components/useAct";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { Connect } from "./Connect";
import { type Connection, type Findings, useConnection } from "./connection";
import { CheckButton, ConnectionPanel } from "./ConnectionPanel";
import { FindingsPanel } from "./FindingsPanel";
import { isRefused } from "./findings";
import { MembersPanel } from "./MembersPanel";
import { PairsPanel } from "./PairsPanel";
import { RepairPanel } from "./RepairPanel";
import { ServerRoles } from "./roles";
import { SignInPanel } from "./SignInPanel";

/** The connection to a server at Discord, or the steps to it. */
export function DiscordPage() {
  const query = useConnection();
  const t = useText();
  const [isBusy, act] = useAct();
  const [findings, setFindings] = useState<Findings | null>(null);
  const check = () =>
    act(async () => {
      setFindings((await body(api.POST("/api/discord/check"))).check);
      await query.refetch();
    });
  const forget = () => setFindings(null);
  return (
    <Loaded query={query} waiting={<PageSkeleton />}>
      {(connection) => (
        <Page
          title="Discord"
          subtitle={t("discord.subtitle")}
          badge={connection !== null && <StateChip connection={connection} />}
          actions={connection !== null && <CheckButton isBusy={isBusy} onCheck={check} />}
        >
          {connection === null ? (
            <Stack sx={{ gap: 2, maxWidth: 900 }}>
              <Connect
                onConnected={async () => {
                  forget();
                  await query.refetch();
                  check();
                }}
              />
              <SignInPanel />
            </Stack>
          ) : (
            <Connected
              connection={connection}
              findings={findings}
              isChecking={isBusy}
              onChange={forget}
            />
          )}
        </Page>
      )}
    </Loaded>
  );
}

const TONES: Record<Connection["state"], Tone> = { ok: "good", disabled: "neutral", error: "warn" };

function StateChip({ connection: { state, error } }: { connection: Connection }) {
  const t = useText();
  const tone = state === "disabled" && error !== null ? "bad" : TONES[state];
  return <State tone={tone} text={t(`discord.states.${state}`)} />;
}

/** On narrow screens the panels of both columns are one list. */
const COLUMN = { gap: 2, display: { xs: "contents", lg: "flex" } };

interface Props {
  connection: Connection;
  findings: Findings | null;
  isChecking: boolean;
  /** Called once something was changed that a check has looked at. */
  onChange: () => void;
}

function Connected({ connection, findings, isChecking, onChange }: Props) {
  const mayWrite = useCan("admin.discord");
  const { active, error } = connection;
  // While it is off, nothing is sent to Discord unless somebody wants to know.
  const isAsked =
    findings === null
      ? active && !isRefused(error)
      : !isRefused(findings.token.problem) && !isRefused(findings.guild.problem);
  return (
    <ServerRoles isAsked={isAsked}>
      {(findings !== null || isChecking) && (
        <Box sx={{ mb: 2 }}>
          <FindingsPanel findings={findings} />
        </Box>
      )}
      <Columns widths="minmax(0, 3fr) minmax(0, 2fr)" gap={2}>
        <Stack sx={COLUMN}>
          <PairsPanel isAsked={isAsked} onSaved={onChange} />
          <MembersPanel />
        </Stack>
        <Stack sx={COLUMN}>
          {/* On narrow screens, what is wrong comes first. */}
          <Box sx={{ order: { xs: error === null ? 0 : -1, lg: 0 } }}>
            <ConnectionPanel
              connection={connection}
              isExplained={findings !== null}
              onChange={onChange}
            />
          </Box>
          {mayWrite && <RepairPanel connection={connection} />}
          <SignInPanel />
        </Stack>
      </Columns>
    </ServerRoles>
  );
}
