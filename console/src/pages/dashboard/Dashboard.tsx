import Box from "@mui/material/Box";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import { Page } from "../../components/Page";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { useCan, useSession } from "../../session/session";
import { ActivityPanel } from "./ActivityPanel";
import { AttentionPanel } from "./attention/AttentionPanel";
import { Figures } from "./Figures";
import { FirstSteps } from "./FirstSteps";
import { InvoiceStates } from "./InvoiceStates";
import { type Length, LENGTHS } from "./period";
import { RevenuePanel } from "./RevenuePanel";
import { ServersPanel } from "./ServersPanel";
import { useChoice } from "./useChoice";

/** One below the other on narrow screens, where what needs attention comes first. */
const COLUMN = {
  display: { xs: "contents", lg: "grid" },
  gap: 2,
  gridTemplateColumns: "minmax(0, 1fr)",
};

/** What happens in the community, and what needs a hand. */
export function Dashboard() {
  const t = useText();
  const format = useFormat();
  const session = useSession();
  const [choice, change] = useChoice();
  const canReadPayments = useCan("admin.payments.read");
  const canReadUsers = useCan("admin.users.read");
  const canReadServers = useCan("admin.servers.read");
  const canReadAudit = useCan("admin.audit.read");
  const hasPeriod = canReadPayments || canReadUsers;
  const name = session?.operator?.username ?? session?.key?.name ?? "";
  return (
    <Page
      title={t("dashboard.title")}
      subtitle={
        hasPeriod
          ? t("dashboard.period", {
              start: format.day(choice.current.start),
              end: format.day(choice.current.end),
            })
          : t("dashboard.welcome", { name })
      }
      actions={
        hasPeriod && (
          <ToggleButtonGroup
            exclusive
            size="small"
            color="primary"
            value={choice.length}
            aria-label={t("dashboard.length")}
            onChange={(_, days: Length | null) => days !== null && change({ days })}
          >
            {LENGTHS.map((days) => (
              <ToggleButton key={days} value={days} sx={{ px: 1.5, textTransform: "none" }}>
                {t("dashboard.days", { smart_count: days })}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        )
      }
    >
      <Box sx={{ display: "grid", gap: 2 }}>
        <FirstSteps />
        <Figures choice={choice} />
        <Box
          sx={{
            display: "grid",
            gap: 2,
            alignItems: "start",
            gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 2fr) minmax(0, 1fr)" },
          }}
        >
          <Box sx={COLUMN}>
            {canReadPayments && (
              <RevenuePanel choice={choice} onCurrency={(currency) => change({ currency })} />
            )}
            {canReadServers && <ServersPanel />}
          </Box>
          <Box sx={COLUMN}>
            <Box sx={{ order: { xs: -1, lg: 0 }, "&:empty": { display: "none" } }}>
              <AttentionPanel />
            </Box>
            {canReadPayments && <InvoiceStates choice={choice} />}
            {canReadAudit && <ActivityPanel />}
          </Box>
        </Box>
      </Box>
    </Page>
  );
}
