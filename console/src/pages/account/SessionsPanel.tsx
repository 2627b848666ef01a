import { Box, Button, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { api, type Schemas } from "../../api/client";
import { useRead } from "../../api/useRead";
import { ConfirmButton } from "../../components/ConfirmDialog";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { useAct, useDone } from "../../components/useAct";
import { Muted, State, When } from "../../components/text";
import { type Translate, useText } from "../../i18n";
import { browserOf } from "./browser";

type Session = Schemas["ConsoleSessionItem"];

/** One's own sessions. */
export function OwnSessions() {
  const t = useText();
  const params = { query: { per_page: 100 } };
  const sessions = useRead(["console_sessions", "own"], () =>
    api.GET("/api/console/sessions", { params }),
  );
  return (
    <SessionsPanel
      title={t("account.sessions.title")}
      hint={t("account.sessions.hint")}
      query={sessions}
      end={(sessionId) =>
        api.DELETE("/api/console/sessions/{sessionId}", { params: { path: { sessionId } } })
      }
    />
  );
}

interface OperatorProps {
  userId: number;
  name: string;
  mayEnd: boolean;
}

/** The sessions of an operator, which can be ended one by one or all at once. */
export function OperatorSessions({ userId, name, mayEnd }: OperatorProps) {
  const t = useText();
  const done = useDone();
  const params = { path: { userId } };
  const sessions = useRead(["console_sessions", userId], () =>
    api.GET("/api/operators/{userId}/sessions", { params }),
  );
  const endAll = async () => {
    await api.DELETE("/api/operators/{userId}/sessions", { params });
    done(t("operators.sessions.allEnded"));
  };
  const end = (sessionId: number) =>
    api.DELETE("/api/operators/{userId}/sessions/{sessionId}", {
      params: { path: { userId, sessionId } },
    });
  return (
    <SessionsPanel
      title={t("operators.sessions.title")}
      query={sessions}
      end={mayEnd ? end : undefined}
      actions={
        mayEnd &&
        (sessions.data?.sessions ?? []).some(({ current }) => !current) && (
          <ConfirmButton
            text={t("operators.sessions.endAll")}
            button={{ color: "error" }}
            title={t("operators.sessions.endAllTitle", { name })}
            confirm={t("operators.sessions.endAll")}
            danger
            onConfirm={endAll}
          >
            {t("operators.sessions.endAllText")}
          </ConfirmButton>
        )
      }
    />
  );
}

interface PanelProps {
  title: string;
  hint?: string;
  actions?: ReactNode;
  query: ReturnType<typeof useRead<{ sessions: Session[] }>>;
  /** Ends a session, for those who may. */
  end: ((sessionId: number) => Promise<unknown>) | undefined;
}

/** Sessions of the console: which browser, where and when. */
function SessionsPanel({ title, hint, actions, query, end }: PanelProps) {
  const t = useText();
  return (
    <Panel title={title} hint={hint} actions={actions} flush>
      <Loaded query={query} height={120} inset>
        {({ sessions }) => (
          <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} end={end} />
            ))}
            {sessions.length === 0 && (
              <Muted component="li" sx={{ px: 2.5, pb: 2.5 }}>
                {t("operators.sessions.none")}
              </Muted>
            )}
          </Box>
        )}
      </Loaded>
    </Panel>
  );
}

function SessionRow({ session, end }: { session: Session; end: PanelProps["end"] }) {
  const t = useText();
  const done = useDone();
  const [isBusy, act] = useAct();
  const { id, ip, user_agent, current, created_at, last_used_at } = session;
  const name = nameOf(user_agent, t);
  return (
    <Box
      component="li"
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 2,
        px: 2.5,
        py: 1.5,
        borderTop: 1,
        borderColor: "divider",
      }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1 }}>
          <Typography sx={{ fontWeight: 550 }} title={user_agent}>
            {name}
          </Typography>
          {current && <State tone="accent" text={t("account.sessions.current")} />}
        </Box>
        <Muted sx={{ display: "flex", flexWrap: "wrap", columnGap: 2 }}>
          {ip !== null && <span>{t("account.sessions.from", { ip })}</span>}
          <span>
            {t("account.sessions.begun")}: <When at={created_at} />
          </span>
          <span>
            {t("common.lastUsed")}: <When at={last_used_at} />
          </span>
        </Muted>
      </Box>
      {!current && end !== undefined && (
        <Button
          color="error"
          variant="outlined"
          sx={{ flexShrink: 0 }}
          aria-label={t("account.sessions.endNamed", { name })}
          loading={isBusy}
          onClick={() =>
            act(async () => {
              await end(id);
              done(t("account.sessions.ended"));
            })
          }
        >
          {t("account.sessions.end")}
        </Button>
      )}
    </Box>
  );
}

function nameOf(userAgent: string, t: Translate): string {
  const { browser, system } = browserOf(userAgent);
  if (browser !== null && system !== null) {
    return t("account.sessions.on", { browser, system });
  }
  return browser ?? system ?? (userAgent === "" ? t("account.sessions.unknown") : userAgent);
}
