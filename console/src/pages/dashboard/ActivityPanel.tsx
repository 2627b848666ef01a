import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { Link as RouterLink } from "react-router";
import { AuditIcon } from "../../components/audit/AuditIcon";
import { useAuditLog } from "../../components/audit/useAuditLog";
import { AuditSentence } from "../../components/AuditSentence";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Panel";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";

const SHOWN = 8;
const EVERYTHING = {};

/** What happened last, as it happens. */
export function ActivityPanel() {
  const t = useText();
  const tokens = useTokens();
  const log = useAuditLog(EVERYTHING, SHOWN);
  return (
    <Panel
      title={t("dashboard.activity")}
      actions={
        <Button component={RouterLink} to="/audit-log">
          {t("dashboard.showAll")}
        </Button>
      }
    >
      <Loaded query={log} height={320}>
        {() => (
          <Box component="ol" sx={{ listStyle: "none", m: 0, p: 0, typography: "body2" }}>
            {log.entries.slice(0, SHOWN).map((entry) => (
              <Box
                component="li"
                key={entry.id}
                sx={{
                  display: "flex",
                  gap: 1.5,
                  py: 0.75,
                  px: 1,
                  mx: -1,
                  borderRadius: 1,
                  ...(log.isFresh(entry) && { bgcolor: tokens.accentSoft }),
                }}
              >
                <AuditIcon action={entry.action} />
                <Box sx={{ minWidth: 0 }}>
                  <AuditSentence entry={entry} />
                  <Typography variant="body2" color="textSecondary" component="div">
                    <When at={entry.at} />
                  </Typography>
                </Box>
              </Box>
            ))}
          </Box>
        )}
      </Loaded>
    </Panel>
  );
}
