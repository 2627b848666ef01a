import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import { useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { Panel } from "../../components/Panel";
import { State } from "../../components/State";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { Enrolment } from "./Enrolment";
import { RecoveryCodes } from "./RecoveryCodes";
import { RemoveFactorDialog } from "./RemoveFactorDialog";

/** The second factor: what it is, setting it up, its recovery codes, removing it. */
export function TwoFactorPanel({ isOn }: { isOn: boolean }) {
  const t = useText();
  const errorText = useErrorText();
  const [begun, setBegun] = useState<Schemas["TwoFactorBegun"] | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const begin = async () => {
    setBusy(true);
    setError(null);
    try {
      setBegun(await body(api.POST("/api/console/two-factor")));
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };

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
        {error !== null && <Alert severity="error">{errorText(error)}</Alert>}
        <Box>
          {isOn ? (
            <Button color="error" variant="outlined" onClick={() => setRemoving(true)}>
              {t("account.factor.remove")}
            </Button>
          ) : (
            <Button variant="contained" loading={isBusy} onClick={() => void begin()}>
              {t("account.factor.begin")}
            </Button>
          )}
        </Box>
      </Stack>
    );
  };

  return (
    <Panel
      title={t("account.factor.title")}
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
