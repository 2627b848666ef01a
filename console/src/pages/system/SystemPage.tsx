import Box from "@mui/material/Box";
import { Page } from "../../components/Page";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BackupsPanel } from "./BackupsPanel";
import { MetricsPanel } from "./MetricsPanel";
import { ServicePanel } from "./ServicePanel";

/** How the service itself is: what runs, what is saved, how much it does. */
export function SystemPage() {
  const t = useText();
  const canBackUp = useCan("admin.backups");
  return (
    <Page title={t("system.title")} subtitle={t("system.subtitle")}>
      <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "minmax(0, 1fr)" }}>
        <ServicePanel />
        {canBackUp && <BackupsPanel />}
        <MetricsPanel />
      </Box>
    </Page>
  );
}
