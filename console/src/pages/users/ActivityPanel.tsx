import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import { Link as RouterLink } from "react-router";
import { api, body } from "../../api/client";
import { AuditSentence } from "../../components/AuditSentence";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { Entries } from "./Entries";
import type { User } from "./types";

/** What was done to the user, as the audit log has it. */
export function ActivityPanel({ user }: { user: User }) {
  const t = useText();
  return (
    <Entries
      title={t("users.activity.title")}
      actions={
        <Link
          component={RouterLink}
          to={`/audit-log?resource=users&resource_id=${user.id}`}
          variant="body2"
        >
          {t("users.activity.all")}
        </Link>
      }
      queryKey={["users", user.id, "activity"]}
      read={async (count) => {
        const query = { resource: "users", resource_id: user.id, per_page: count };
        return (await body(api.GET("/api/audit-log", { params: { query } }))).audit_log;
      }}
      empty={t("users.activity.none")}
      entry={(entry) => (
        <Box>
          <Typography variant="body2">
            <AuditSentence entry={entry} />
          </Typography>
          <Typography variant="caption" color="textSecondary">
            <When at={entry.at} />
          </Typography>
        </Box>
      )}
    />
  );
}
