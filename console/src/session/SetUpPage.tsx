import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import Typography from "@mui/material/Typography";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useLocale } from "react-admin";
import { useLocation, useNavigate } from "react-router";
import { api, body } from "../api/client";
import { ApiError } from "../api/error";
import { useText } from "../i18n";
import { useErrorText } from "../i18n/describe";
import { fault } from "../i18n/faults";
import { Entrance } from "./Entrance";
import { sessionStore } from "./session";

/** The page of the link that the first start prints. Its token is in the part after `#`. */
export function SetUpPage() {
  const t = useText();
  const locale = useLocale();
  const errorText = useErrorText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const token = new URLSearchParams(useLocation().hash.slice(1)).get("token");
  const [values, setValues] = useState({ username: "", email: "", password: "" });
  const [faults, setFaults] = useState<Record<string, string[]>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  if (token === null) {
    return (
      <Entrance title={t("session.setUp.title")}>
        <Alert severity="error">{t("session.setUp.noToken")}</Alert>
      </Entrance>
    );
  }

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
      setFaults(isFault ? error.fields : {});
      setProblem(isFault ? null : errorText(error));
    } finally {
      setBusy(false);
    }
  };

  const field = (name: keyof typeof values, label: string, hint?: string) => {
    const messages = faults[name];
    return {
      label,
      required: true,
      fullWidth: true,
      value: values[name],
      error: messages !== undefined,
      helperText: messages?.map((message) => fault(message, locale)).join(" ") ?? hint,
      onChange: (event: { target: { value: string } }) =>
        setValues({ ...values, [name]: event.target.value }),
    };
  };

  return (
    <Entrance title={t("session.setUp.title")}>
      <Stack component="form" sx={{ gap: 2 }} onSubmit={(event) => void submit(event)}>
        <Typography color="textSecondary">{t("session.setUp.intro")}</Typography>
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
          {...field("password", t("session.setUp.password"), t("session.setUp.passwordHint"))}
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
