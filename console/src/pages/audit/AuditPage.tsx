import HistoryOutlined from "@mui/icons-material/HistoryOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import type { AuditFilters } from "../../components/audit/log";
import { useAuditLog } from "../../components/audit/useAuditLog";
import { EmptyState } from "../../components/EmptyState";
import { ExportButton } from "../../components/ExportButton";
import { Page } from "../../components/Page";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { TIME_ZONE, useFormat } from "../../i18n/format";
import { useCan } from "../../session/session";
import { AuditFilterBar } from "./AuditFilterBar";
import { AuditRow } from "./AuditRow";
import { useFilters } from "./useFilters";
import { LoadError } from "../../components/LoadError";

const PAGE_SIZE = 25;

/** Who did what, newest first. */
export function AuditPage() {
  const t = useText();
  const canRead = useCan("admin.audit.read");
  const [filters, change, clear] = useFilters();
  if (!canRead) {
    return (
      <Page title={t("audit.title")}>
        <Alert severity="info">
          {t("errors.missingPermission", { permission: "admin.audit.read" })}
        </Alert>
      </Page>
    );
  }
  return (
    <Page
      title={t("audit.title")}
      subtitle={`${t("audit.subtitle")} ${t("common.timeZone", { zone: TIME_ZONE })}`}
      actions={
        <ExportButton path="/api/audit-log/export" query={{ ...filters }} name="audit-log" />
      }
    >
      <AuditFilterBar filters={filters} onChange={change} onClear={clear} />
      {/* Another filter is another log: what came in while the last one was shown goes. */}
      <Log key={JSON.stringify(filters)} filters={filters} />
    </Page>
  );
}

function Log({ filters }: { filters: AuditFilters }) {
  const t = useText();
  const format = useFormat();
  const errorText = useErrorText();
  const log = useAuditLog(filters, PAGE_SIZE);

  if (log.error !== null && log.entries.length === 0) {
    return <LoadError error={log.error} retry={log.refetch} />;
  }
  if (log.isPending) {
    return (
      <Card aria-busy sx={{ p: 2 }}>
        {Array.from({ length: 10 }, (_, row) => (
          <Skeleton key={row} height={56} />
        ))}
      </Card>
    );
  }
  if (log.entries.length === 0) {
    const isFiltered = Object.keys(filters).length > 0;
    return (
      <Card>
        <EmptyState
          icon={HistoryOutlined}
          title={t("audit.emptyTitle")}
          text={t(isFiltered ? "common.noResults" : "audit.emptyText")}
        />
      </Card>
    );
  }
  return (
    <>
      <Typography variant="body2" color="textSecondary" sx={{ mb: 1 }} role="status">
        {log.isTotalExact
          ? t("audit.total", { smart_count: log.total })
          : t("audit.totalAtLeast", { number: format.number(log.total) })}
      </Typography>
      <Card>
        <Box
          component="ol"
          aria-label={t("audit.title")}
          sx={{ listStyle: "none", m: 0, p: 0, "& > li:first-of-type": { borderTop: 0 } }}
        >
          {log.entries.map((entry) => (
            <AuditRow key={entry.id} entry={entry} isFresh={log.isFresh(entry)} />
          ))}
        </Box>
        {log.hasNextPage && (
          <Box sx={{ p: 1.5, textAlign: "center", borderTop: 1, borderColor: "divider" }}>
            {log.isFetchNextPageError && (
              <Alert severity="error" sx={{ mb: 1, textAlign: "left" }}>
                {errorText(log.error)}
              </Alert>
            )}
            <Button loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
              {t("common.showMore")}
            </Button>
          </Box>
        )}
      </Card>
    </>
  );
}
