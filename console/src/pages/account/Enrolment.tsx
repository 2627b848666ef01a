import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import Typography from "@mui/material/Typography";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { CopyField } from "../../components/CopyField";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { sessionStore } from "../../session/session";
import { QrCode } from "./QrCode";

interface Props {
  begun: Schemas["TwoFactorBegun"];
  onConfirmed: (recoveryCodes: string[]) => void;
  onCancel: () => void;
}

/** Shows the secret to an authenticator app, and asks for a code to see that it works. */
export function Enrolment({ begun, onConfirmed, onCancel }: Props) {
  const t = useText();
  const errorText = useErrorText();
  const queries = useQueryClient();
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const reply = await body(
        api.PUT("/api/console/two-factor", { body: { code: code.replaceAll(" ", "") } }),
      );
      onConfirmed(reply.recovery_codes);
      await sessionStore.refresh();
      // Where a second factor is required, everything was refused until now.
      await queries.invalidateQueries();
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };

  return (
    <Stack component="form" sx={{ gap: 2 }} onSubmit={(event) => void confirm(event)}>
      <Typography variant="body2">{t("account.factor.scan")}</Typography>
      <QrCode text={begun.uri} label={t("account.factor.qr")} />
      <Box>
        <Typography variant="body2" color="textSecondary" gutterBottom>
          {t("account.factor.secret")}
        </Typography>
        <CopyField label={t("account.factor.secret")} value={begun.secret} />
      </Box>
      <Typography variant="body2">{t("account.factor.enter")}</Typography>
      {error !== null && <Alert severity="error">{errorText(error)}</Alert>}
      <TextField
        label={t("account.factor.code")}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        autoComplete="one-time-code"
        autoFocus
        required
        slotProps={{ htmlInput: { inputMode: "numeric" } }}
        sx={{ maxWidth: 200 }}
      />
      <Box sx={{ display: "flex", gap: 1 }}>
        <Button type="submit" variant="contained" loading={isBusy}>
          {t("account.factor.confirm")}
        </Button>
        <Button onClick={onCancel}>{t("common.cancel")}</Button>
      </Box>
    </Stack>
  );
}
