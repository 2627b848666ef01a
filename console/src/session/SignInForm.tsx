import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import { type FormEvent, useEffect, useState } from "react";
import { api, body } from "../api/client";
import { ApiError } from "../api/error";
import { useText } from "../i18n";
import { useErrorText } from "../i18n/describe";
import { useFormat } from "../i18n/format";
import { type SessionState, sessionStore } from "./session";

interface Props {
  /** The person whose session ended. */
  login?: string;
  onSignedIn: (session: SessionState) => void;
}

/** Signs in with a password and, where there is one, the second factor; or with an API key. */
export function SignInForm({ login: known, onSignedIn }: Props) {
  const t = useText();
  const format = useFormat();
  const errorText = useErrorText();
  const [withKey, setWithKey] = useState(false);
  const [login, setLogin] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [apiKey, setApiKey] = useState("");
  const [asksCode, setAsksCode] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string[]>([]);
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
    setBusy(true);
    setProblem([]);
    try {
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

  return (
    <Stack component="form" sx={{ gap: 2 }} onSubmit={(event) => void submit(event)}>
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
          label={t("session.apiKey")}
          type="password"
          autoComplete="off"
          required
          autoFocus
          value={apiKey}
          onChange={(event) => setApiKey(event.target.value)}
        />
      ) : asksCode ? (
        <TextField
          key="code"
          label={t("session.code")}
          helperText={t("session.codeNeeded")}
          autoComplete="one-time-code"
          required
          autoFocus
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      ) : (
        <>
          <TextField
            label={t("session.login")}
            autoComplete="username"
            required
            autoFocus={known === undefined}
            value={login}
            onChange={(event) => setLogin(event.target.value)}
          />
          <TextField
            label={t("session.password")}
            type="password"
            autoComplete="current-password"
            required
            autoFocus={known !== undefined}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
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
          setCode("");
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
