import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "react-router";
import { api, body } from "../../../api/client";
import { Panel } from "../../../components/Panel";
import { When } from "../../../components/When";
import { useText } from "../../../i18n";

/** Why an invoice failed, which only the audit log says, and the way to its other entries. */
export function HistoryPanel({ id }: { id: number }) {
  const t = useText();
  const about = { resource: "payment_invoices", resource_id: id };
  const { data } = useQuery({
    queryKey: ["invoices", id, "failure"],
    queryFn: () =>
      body(
        api.GET("/api/audit-log", {
          params: { query: { ...about, action: "payment_invoices.fail", per_page: 1 } },
        }),
      ),
  });
  const failure = data?.audit_log[0];
  const reason = failure?.after.failed_reason;
  return (
    <Panel title={t("payments.invoices.history")}>
      {failure !== undefined && (
        <Box sx={{ mb: 2, fontSize: 14 }}>
          {t("payments.invoices.failed")} <When at={failure.at} />
          {typeof reason === "string" && reason !== "" && (
            <Box component="blockquote" sx={{ m: 0, mt: 0.5, color: "text.secondary" }}>
              {reason}
            </Box>
          )}
        </Box>
      )}
      <Link
        variant="body2"
        component={RouterLink}
        to={`/audit-log?resource=${about.resource}&resource_id=${about.resource_id}`}
      >
        {t("payments.invoices.audit")}
      </Link>
    </Panel>
  );
}
