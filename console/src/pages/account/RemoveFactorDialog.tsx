import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { useNotify } from "react-admin";
import { api } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import { sessionStore } from "../../session/session";

/** Removes the second factor, which takes the password and a code. */
export function RemoveFactorDialog({ onClose }: { onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const remove = async () => {
    await api.DELETE("/api/console/two-factor", { body: { password, code: code.trim() } });
    await sessionStore.refresh();
    notify(t("account.factor.removed"), { type: "success" });
  };
  return (
    <ConfirmDialog
      title={t("account.factor.removeTitle")}
      confirm={t("account.factor.remove")}
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <Stack sx={{ gap: 2 }}>
        {t("account.factor.removeText")}
        <TextField
          label={t("account.factor.removePassword")}
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label={t("account.factor.removeCode")}
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      </Stack>
    </ConfirmDialog>
  );
}
