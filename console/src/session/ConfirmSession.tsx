import { Link } from "@mui/material";
import { useState } from "react";
import { PasswordInput, required, TextInput } from "react-admin";
import { api } from "../api/client";
import { FormDialog } from "../components/form/FormDialog";
import { Muted } from "../components/text";
import { useText } from "../i18n";
import { sessionStore, useSession } from "./session";

/** Asks who the person is before something that a stolen session must not be enough for. */
export function ConfirmSession() {
  const t = useText();
  const session = useSession();
  const [withCode, setWithCode] = useState(false);
  const source = session?.key !== undefined ? "api_key" : withCode ? "code" : "password";
  return (
    <FormDialog
      // Another form for each kind, so that nothing typed for one is sent as the other.
      key={source}
      title={t("session.confirm.title")}
      fields={[source]}
      submit={t("session.confirm.submit")}
      save={async (values) => {
        const typed = String(values[source] ?? "");
        const proofs = {
          password: { password: typed },
          code: { code: typed.trim() },
          api_key: { api_key: typed.trim() },
        };
        await api.POST("/api/console/confirm", { body: proofs[source] });
        sessionStore.confirmed(true);
      }}
      onClose={() => sessionStore.confirmed(false)}
    >
      <Muted>{t("session.confirm.hint")}</Muted>
      {source === "code" ? (
        <TextInput
          source="code"
          label={t("session.code")}
          autoComplete="one-time-code"
          autoFocus
          helperText={false}
          validate={required()}
        />
      ) : (
        <PasswordInput
          source={source}
          label={t(source === "api_key" ? "common.apiKey" : "common.password")}
          autoComplete={source === "api_key" ? "off" : "current-password"}
          autoFocus
          helperText={false}
          validate={required()}
        />
      )}
      {session?.operator?.two_factor === true && (
        <Link
          component="button"
          type="button"
          variant="body2"
          onClick={() => setWithCode(!withCode)}
        >
          {t(withCode ? "session.withPassword" : "session.confirm.withCode")}
        </Link>
      )}
    </FormDialog>
  );
}
