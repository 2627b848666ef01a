import { Box, Typography } from "@mui/material";
import { api, body } from "../../api/client";
import { AuditSentence } from "../../components/audit/AuditSentence";
import { RouteLink } from "../../components/links";
import { When } from "../../components/text";
import { useText } from "../../i18n";
import { Entries } from "./Entries";

interface Props {
  /** As the audit log calls it. */
  resource: "bans" | "users";
  id: number;
  /** What is said if there is nothing. */
  empty: string;
}

/**
 * What was done to a record, as the audit log has it. That of a user includes roles, bans, invoices
 * and grants.
 */
export function ActivityPanel({ resource, id, empty }: Props) {
  const t = useText();
  const about = resource === "users" ? { about_user_id: id } : { resource, resource_id: id };
  const parameters = Object.entries(about).map(([name, value]) => [name, String(value)]);
  return (
    <Entries
      title={t("users.activity.title")}
      actions={
        <RouteLink to={`/audit-log?${new URLSearchParams(parameters)}`} variant="body2">
          {t("users.activity.all")}
        </RouteLink>
      }
      queryKey={[resource, id, "activity"]}
      read={async (count) => {
        const query = { ...about, per_page: count };
        return (await body(api.GET("/api/audit-log", { params: { query } }))).audit_log;
      }}
      empty={empty}
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
