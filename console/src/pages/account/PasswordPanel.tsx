import Alert from "@mui/material/Alert";
import Stack from "@mui/material/Stack";
import { useState } from "react";
import { Form, PasswordInput, useNotify, useRefresh } from "react-admin";
import { api } from "../../api/client";
import { ApiError } from "../../api/error";
import { FormBar } from "../../components/form/FormBar";
import { useFormErrors } from "../../components/form/useFormErrors";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";

interface Values {
  current_password?: string;
  password?: string;
  repeated?: string;
}

/** Changes one's own password. */
export function PasswordPanel() {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const { problem, guard } = useFormErrors(["current_password", "password"]);
  // Another form after each change: no password stays on the screen.
  const [changes, setChanges] = useState(0);

  const submit = async ({ current_password = "", password = "", repeated = "" }: Values) => {
    if (password !== repeated) {
      return { repeated: t("account.password.differs") };
    }
    let isWrong = false;
    const faults = await guard(async () => {
      try {
        await api.PUT("/api/console/password", { body: { current_password, password } });
      } catch (error) {
        isWrong = error instanceof ApiError && error.code === "invalid_credentials";
        if (!isWrong) {
          throw error;
        }
        return;
      }
      notify(t("account.password.done"), { type: "success" });
      setChanges(changes + 1);
      refresh();
    });
    return isWrong ? { current_password: t("account.password.wrong") } : faults;
  };

  return (
    <Panel title={t("account.password.title")} hint={t("account.password.hint")}>
      <Form key={changes} sanitizeEmptyValues={false} onSubmit={submit}>
        <Stack sx={{ gap: 2 }}>
          {problem !== null && <Alert severity="error">{problem}</Alert>}
          <PasswordInput
            source="current_password"
            label={t("account.password.current")}
            autoComplete="current-password"
            helperText={false}
            required
          />
          <PasswordInput
            source="password"
            label={t("account.password.new")}
            autoComplete="new-password"
            helperText={t("account.password.newHint")}
            required
          />
          <PasswordInput
            source="repeated"
            label={t("account.password.repeat")}
            autoComplete="new-password"
            helperText={false}
            required
          />
        </Stack>
        <FormBar submit={t("account.password.submit")} />
      </Form>
    </Panel>
  );
}
