import Alert from "@mui/material/Alert";
import AlertTitle from "@mui/material/AlertTitle";
import Box from "@mui/material/Box";
import Stack from "@mui/material/Stack";
import { Page } from "../../components/Page";
import { useText } from "../../i18n";
import { useSessionSnapshot } from "../../session/session";
import { AppearancePanel } from "./AppearancePanel";
import { IdentityPanel } from "./IdentityPanel";
import { PasswordPanel } from "./PasswordPanel";
import { SessionsPanel } from "./SessionsPanel";
import { TwoFactorPanel } from "./TwoFactorPanel";

/** What belongs to the signed-in person. A session of an API key has less of it. */
export function AccountPage() {
  const t = useText();
  const { session, needsTwoFactor } = useSessionSnapshot();
  if (session === null) {
    return null;
  }
  const { operator, key } = session;
  return (
    <Page title={t("account.title")} subtitle={t("account.subtitle")}>
      {needsTwoFactor && (
        <Alert severity="warning" sx={{ mb: 2.5 }}>
          <AlertTitle>{t("account.factorRequired.title")}</AlertTitle>
          {t("account.factorRequired.text")}
        </Alert>
      )}
      {key !== undefined && (
        <Alert severity="info" sx={{ mb: 2.5 }}>
          <AlertTitle>{t("account.keyTitle", { name: key.name })}</AlertTitle>
          {t("account.keyText")}
        </Alert>
      )}
      <Box
        sx={{
          display: "grid",
          gap: 2.5,
          alignItems: "start",
          gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 1fr) minmax(0, 1fr)" },
        }}
      >
        <Stack sx={{ gap: 2.5 }}>
          {operator !== undefined && <TwoFactorPanel isOn={operator.two_factor} />}
          {operator !== undefined && <PasswordPanel />}
          <SessionsPanel />
        </Stack>
        <Stack sx={{ gap: 2.5 }}>
          <IdentityPanel session={session} />
          <AppearancePanel />
        </Stack>
      </Box>
    </Page>
  );
}
