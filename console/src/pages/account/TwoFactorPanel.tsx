import { Alert, AlertTitle, Box, Button, Stack, TextField, Typography } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { useNotify } from "react-admin";
import { encode } from "uqr";
import { api, body, type Schemas } from "../../api/client";
import { keep } from "../../api/download";
import { ConfirmButton, ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyField } from "../../components/CopyField";
import { Panel } from "../../components/Page";
import { Muted, State } from "../../components/text";
import { useAct } from "../../components/useAct";
import { useErrorText, useText } from "../../i18n";
import { sessionStore } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";

/** The second factor: what it is, setting it up, its recovery codes, removing it. */
export function TwoFactorPanel({ isOn }: { isOn: boolean }) {
  const t = useText();
  const [begun, setBegun] = useState<Schemas["TwoFactorBegun"] | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const [isBusy, act] = useAct();
  const renew = async () => {
    const reply = await body(api.POST("/api/console/two-factor/recovery-codes"));
    setCodes(reply.recovery_codes);
  };
  const begin = async () => setBegun(await body(api.POST("/api/console/two-factor")));

  const content = () => {
    if (codes !== null) {
      return <RecoveryCodes codes={codes} onStored={() => setCodes(null)} />;
    }
    if (begun !== null) {
      return (
        <Enrolment
          begun={begun}
          onCancel={() => setBegun(null)}
          onConfirmed={(recoveryCodes) => {
            setBegun(null);
            setCodes(recoveryCodes);
          }}
        />
      );
    }
    return (
      <Stack sx={{ gap: 2 }}>
        <Typography variant="body2">
          {t(isOn ? "account.factor.onText" : "account.factor.offText")}
        </Typography>
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>
          {isOn ? (
            <>
              <ConfirmButton
                text={t("account.factor.renew")}
                button={{ variant: "outlined" }}
                title={t("account.factor.renewTitle")}
                confirm={t("account.factor.renewConfirm")}
                onConfirm={renew}
              >
                {t("account.factor.renewText")}
              </ConfirmButton>
              <Button color="error" variant="outlined" onClick={() => setRemoving(true)}>
                {t("account.factor.remove")}
              </Button>
            </>
          ) : (
            <Button variant="contained" loading={isBusy} onClick={() => act(begin)}>
              {t("account.factor.begin")}
            </Button>
          )}
        </Box>
      </Stack>
    );
  };

  return (
    <Panel
      title={t("common.secondFactor")}
      hint={t("account.factor.hint")}
      actions={
        <State
          tone={isOn ? "good" : "warn"}
          text={t(isOn ? "account.factor.on" : "account.factor.off")}
        />
      }
    >
      {content()}
      {isRemoving && <RemoveFactorDialog onClose={() => setRemoving(false)} />}
    </Panel>
  );
}

interface Props {
  begun: Schemas["TwoFactorBegun"];
  onConfirmed: (recoveryCodes: string[]) => void;
  onCancel: () => void;
}

/** Shows the secret to an authenticator app, and asks for a code to see that it works. */
function Enrolment({ begun, onConfirmed, onCancel }: Props) {
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
        <Muted gutterBottom>{t("account.factor.secret")}</Muted>
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

/** A QR code. It is dark on white in both themes, because many apps read no other. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: 3 });
    const squares = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
    );
    return { size, path: squares.join("") };
  }, [text]);
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      sx={{ width: 200, height: 200, borderRadius: 1, border: 1, borderColor: "divider" }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </Box>
  );
}

interface RecoveryCodesProps {
  codes: string[];
  onStored: () => void;
}

/** Shows recovery codes once, to copy or to download. */
function RecoveryCodes({ codes, onStored }: RecoveryCodesProps) {
  const t = useText();
  const tokens = useTokens();
  const [isCopied, setCopied] = useState(false);
  const text = codes.join("\n");
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  const download = () =>
    keep(new Blob([`${text}\n`], { type: "text/plain" }), "steward-recovery-codes.txt");
  return (
    <Stack sx={{ gap: 2 }}>
      <Alert severity="warning">
        <AlertTitle>{t("account.factor.codesTitle")}</AlertTitle>
        {t("account.factor.codesText")} {t("common.shownOnce")}
      </Alert>
      <Box
        component="ul"
        aria-label={t("account.factor.codes")}
        sx={{
          m: 0,
          p: 2,
          display: "grid",
          gridTemplateColumns: "repeat(auto-fill, minmax(150px, 1fr))",
          gap: 1,
          listStyle: "none",
          borderRadius: 1,
          bgcolor: tokens.inset,
          fontFamily: MONOSPACE,
        }}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>
        <Button variant="outlined" onClick={() => void copy()}>
          {t(isCopied ? "common.copied" : "account.factor.copy")}
        </Button>
        <Button variant="outlined" onClick={download}>
          {t("common.download")}
        </Button>
        <Box sx={{ flexGrow: 1 }} />
        <Button variant="contained" onClick={onStored}>
          {t("account.factor.stored")}
        </Button>
      </Box>
    </Stack>
  );
}

/** Removes the second factor, which takes the password and a code. */
function RemoveFactorDialog({ onClose }: { onClose: () => void }) {
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
