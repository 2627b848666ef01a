import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNotify } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import { Panel } from "../../components/Panel";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { type Translate, useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { browserOf } from "./browser";

type Session = Schemas["ConsoleSessionItem"];

const KEY = ["console-sessions"];

/** One's own sessions: which browser, where and when. */
export function SessionsPanel() {
  const t = useText();
  const errorText = useErrorText();
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: async () => {
      const params = { query: { per_page: 100 } };
      return (await body(api.GET("/api/console/sessions", { params }))).sessions;
    },
  });
  return (
    <Panel title={t("account.sessions.title")} hint={t("account.sessions.hint")} flush>
      {error !== null ? (
        <Alert severity="error" sx={{ m: 2 }}>
          {errorText(error)}
        </Alert>
      ) : data === undefined ? (
        <Skeleton variant="rounded" height={120} sx={{ m: 2 }} />
      ) : (
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
          {data.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Box>
      )}
    </Panel>
  );
}

function SessionRow({ session }: { session: Session }) {
  const t = useText();
  const notify = useNotify();
  const errorText = useErrorText();
  const queries = useQueryClient();
  const { id, ip, user_agent, current, created_at, last_used_at } = session;
  const name = nameOf(user_agent, t);
  const end = async () => {
    try {
      const params = { path: { sessionId: id } };
      await api.DELETE("/api/console/sessions/{sessionId}", { params });
      notify(t("account.sessions.ended"), { type: "success" });
    } catch (error) {
      notify(errorText(error), { type: "error" });
    }
    await queries.invalidateQueries({ queryKey: KEY });
  };
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
        <Typography
          variant="body2"
          color="textSecondary"
          component="div"
          sx={{ display: "flex", flexWrap: "wrap", columnGap: 2 }}
        >
          {ip !== null && <span>{t("account.sessions.from", { ip })}</span>}
          <span>
            {t("account.sessions.begun")}: <When at={created_at} />
          </span>
          <span>
            {t("account.sessions.used")}: <When at={last_used_at} />
          </span>
        </Typography>
      </Box>
      {!current && (
        <Button
          color="error"
          variant="outlined"
          sx={{ flexShrink: 0 }}
          aria-label={t("account.sessions.endNamed", { name })}
          onClick={() => void end()}
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
