import {
  Alert,
  Box,
  Button,
  Card,
  DialogContentText,
  Link,
  Stack,
  TextField,
  Typography,
} from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { api, body } from "../api/client";
import { ApiError } from "../api/error";
import { useRead } from "../api/useRead";
import { CopyField } from "../components/CopyField";
import { Modal } from "../components/Modal";
import { useDocumentLanguage, useErrorText, useFormat, useText } from "../i18n";
import { Logo } from "../layout/Logo";
import { leave, type SessionState, sessionStore, useSession } from "./session";

/** The page to sign in. Afterwards the page that was asked for opens. */
export function SignInPage() {
  const t = useText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { state } = useLocation() as {
    state: { nextPathname?: string; nextSearch?: string } | null;
  };
  const next = `${state?.nextPathname ?? "/"}${state?.nextSearch ?? ""}`;
  const open = () => {
    // What is cached may belong to the operator who used this browser before.
    queries.clear();
    void navigate(next, { replace: true });
  };
  const { data: setup } = useRead(["setup"], () => api.GET("/api/console/setup"), { retry: false });
  return (
    <Entrance title={t("session.welcome")}>
      {setup?.needed === true && (
        <Alert severity="info" sx={{ mb: 2 }}>
          {t("session.notSetUp")}
          <Box sx={{ mt: 1 }}>
            <CopyField label={t("session.inviteCommand")} value="steward operator invite" />
          </Box>
        </Alert>
      )}
      <SignInForm onSignedIn={open} />
    </Entrance>
  );
}

interface Props {
  /** The person whose session ended. */
  login?: string;
  onSignedIn: (session: SessionState) => void;
}

const PASSWORD = ["login", "password"] as const;

/** Signs in with a password and, where there is one, the second factor; or with an API key. */
function SignInForm({ login: known, onSignedIn }: Props) {
  const t = useText();
  const format = useFormat();
  const errorText = useErrorText();
  const [withKey, setWithKey] = useState(false);
  const [values, setValues] = useState({ login: known ?? "", password: "", code: "", apiKey: "" });
  const [asksCode, setAsksCode] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string[]>([]);
  /** Fields that were empty when the form was sent. */
  const [missing, setMissing] = useState<(keyof typeof values)[]>([]);
  const [seconds, setSeconds] = useState(0);

  useEffect(() => {
    if (seconds > 0) {
      const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [seconds]);

  const refuse = (error: unknown) => {
    if (!(error instanceof ApiError)) {
      setProblem([errorText(error)]);
      return;
    }
    if (error.code === "two_factor_required") {
      setAsksCode(true);
      setProblem([]);
    } else if (error.status === 429) {
      setSeconds(error.retryAfter ?? 60);
    } else if (error.code === "user_blocked") {
      const { reason, until } = error.body;
      setProblem([
        t("session.blocked"),
        ...(reason ? [t("session.blockedReason", { reason })] : []),
        ...(until ? [t("session.blockedUntil", { until: format.moment(until) })] : []),
      ]);
    } else {
      setProblem([errorText(error)]);
    }
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const shown = withKey ? (["apiKey"] as const) : asksCode ? (["code"] as const) : PASSWORD;
    const empty = shown.filter((name) => values[name].trim() === "");
    setMissing(empty);
    if (empty.length > 0) {
      return;
    }
    setBusy(true);
    setProblem([]);
    try {
      const { login, password, code, apiKey } = values;
      const request = withKey
        ? { api_key: apiKey.trim() }
        : { login, password, ...(asksCode && { code: code.trim() }) };
      const session = await body(api.POST("/api/console/session", { body: request }));
      sessionStore.signedIn(session);
      onSignedIn(session);
    } catch (error) {
      refuse(error);
    } finally {
      setBusy(false);
    }
  };

  const field = (name: keyof typeof values, hint?: string) => ({
    required: true,
    value: values[name],
    error: missing.includes(name),
    helperText: missing.includes(name) ? t("session.required") : hint,
    // A password manager fills in two fields at once.
    onChange: ({ target }: { target: { value: string } }) =>
      setValues((typed) => ({ ...typed, [name]: target.value })),
  });

  return (
    // The browser would tell what is missing in its own language.
    <Stack component="form" noValidate sx={{ gap: 2 }} onSubmit={(event) => void submit(event)}>
      {seconds > 0 && (
        <Alert severity="warning">{t("session.throttled", { smart_count: seconds })}</Alert>
      )}
      {problem.length > 0 && (
        <Alert severity="error">
          {problem.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Alert>
      )}
      {withKey ? (
        <TextField
          key="key"
          label={t("common.apiKey")}
          type="password"
          autoComplete="off"
          autoFocus
          {...field("apiKey")}
        />
      ) : asksCode ? (
        <TextField
          key="code"
          label={t("session.code")}
          autoComplete="one-time-code"
          autoFocus
          {...field("code", t("session.codeNeeded"))}
        />
      ) : (
        <>
          <TextField
            label={t("session.login")}
            autoComplete="username"
            autoFocus={known === undefined}
            {...field("login")}
          />
          <TextField
            label={t("common.password")}
            type="password"
            autoComplete="current-password"
            autoFocus={known !== undefined}
            {...field("password")}
          />
        </>
      )}
      <Button
        type="submit"
        variant="contained"
        size="large"
        loading={isBusy}
        disabled={seconds > 0}
      >
        {t("session.submit")}
      </Button>
      <Link
        component="button"
        type="button"
        variant="body2"
        onClick={() => {
          setProblem([]);
          setMissing([]);
          setValues({ ...values, code: "" });
          if (asksCode) {
            setAsksCode(false);
          } else {
            setWithKey(!withKey);
          }
        }}
      >
        {t(asksCode ? "session.back" : withKey ? "session.withPassword" : "session.withKey")}
      </Link>
    </Stack>
  );
}

/** Lets a person whose session ended sign in again on the same page, so that no work is lost. */
export function RenewDialog() {
  const t = useText();
  const session = useSession();
  return (
    <Modal
      title={t("session.ended")}
      actions={<Button onClick={leave}>{t("shell.account.signOut")}</Button>}
    >
      <DialogContentText sx={{ mb: 2 }}>{t("session.endedHint")}</DialogContentText>
      <SignInForm login={session?.operator?.username ?? ""} onSignedIn={() => undefined} />
    </Modal>
  );
}

/** The frame of the pages before one is signed in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  useDocumentLanguage();
  return (
    <Box
      component="main"
      sx={{
        minHeight: "100vh",
        display: "grid",
        placeItems: "center",
        bgcolor: "background.default",
        p: 2,
      }}
    >
      <title>{`${title} – Steward`}</title>
      <Card sx={{ width: "100%", maxWidth: 400, p: { xs: 3, sm: 4 } }}>
        <Box sx={{ mb: 3 }}>
          <Logo />
        </Box>
        <Typography variant="h1" sx={{ mb: 2.5 }}>
          {title}
        </Typography>
        {children}
      </Card>
    </Box>
  );
}
