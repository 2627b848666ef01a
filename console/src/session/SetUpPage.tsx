import { Alert, Button, Stack, TextField, Typography } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocale } from "react-admin";
import { useLocation, useNavigate } from "react-router";
import { api, body } from "../api/client";
import { ApiError } from "../api/error";
import { useRead } from "../api/useRead";
import { RouteButton } from "../components/links";
import { useErrorText, useText } from "../i18n";
import { faultTexts } from "../i18n/faults";
import { sessionStore } from "./session";
import { Entrance } from "./SignIn";

/** The page of the link that the first start prints. Its token is in the part after `#`. */
export function SetUpPage() {
  const t = useText();
  const locale = useLocale();
  const errorText = useErrorText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const token = new URLSearchParams(useLocation().hash.slice(1)).get("token");
  const [values, setValues] = useState({ username: "", email: "", password: "" });
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  // A link that was used says so before anything is typed.
  const check = useRead(
    ["setup", token],
    () => api.POST("/api/console/setup/check", { body: { token: token ?? "" } }),
    { enabled: token !== null, retry: false, staleTime: Infinity },
  );

  if (token === null) {
    return (
      <Entrance title={t("session.setUp.title")}>
        <Alert severity="error">{t("session.setUp.noToken")}</Alert>
      </Entrance>
    );
  }

  if (check.isError) {
    return (
      <Entrance title={t("session.setUp.unusable")}>
        <Alert severity="error" sx={{ mb: 2 }}>
          {errorText(check.error)}
        </Alert>
        <RouteButton to="/sign-in" variant="contained">
          {t("session.submit")}
        </RouteButton>
      </Entrance>
    );
  }

  const isInvitation = check.data?.purpose === "invitation";
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    setFaults({});
    try {
      const request = { body: { token, ...values } };
      sessionStore.signedIn(await body(api.POST("/api/console/setup", request)));
      queries.clear();
      void navigate("/", { replace: true });
    } catch (error) {
      const isFault = error instanceof ApiError && error.code === "validation_failed";
      setFaults(isFault ? faultTexts(error, locale) : {});
      setProblem(isFault ? null : errorText(error));
    } finally {
      setBusy(false);
    }
  };

  const field = (name: keyof typeof values, label: string, hint?: string) => {
    const text = faults[name];
    return {
      label,
      required: true,
      fullWidth: true,
      value: values[name],
      error: text !== undefined,
      helperText: text ?? hint,
      onChange: ({ target }: { target: { value: string } }) =>
        setValues((typed) => ({ ...typed, [name]: target.value })),
    };
  };

  return (
    <Entrance title={t(isInvitation ? "session.setUp.invitedTitle" : "session.setUp.title")}>
      <Stack component="form" noValidate sx={{ gap: 2 }} onSubmit={(event) => void submit(event)}>
        <Typography color="textSecondary">
          {t(isInvitation ? "session.setUp.invited" : "session.setUp.intro")}
        </Typography>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        <TextField
          {...field("username", t("session.setUp.username"))}
          autoComplete="username"
          autoFocus
        />
        <TextField
          {...field("email", t("session.setUp.email"))}
          type="email"
          autoComplete="email"
        />
        <TextField
          {...field("password", t("common.password"), t("common.passwordHint"))}
          type="password"
          autoComplete="new-password"
        />
        <Button type="submit" variant="contained" size="large" loading={isBusy}>
          {t("session.setUp.submit")}
        </Button>
      </Stack>
    </Entrance>
  );
}
