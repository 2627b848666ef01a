import ExpandMore from "@mui/icons-material/ExpandMore";
import HistoryOutlined from "@mui/icons-material/HistoryOutlined";
import { Alert, Box, Button, Card, Collapse, Skeleton, Typography } from "@mui/material";
import { useId, useState } from "react";
import { AuditIcon } from "../../components/audit/AuditIcon";
import { AuditSentence } from "../../components/audit/AuditSentence";
import type { Entry } from "../../components/audit/sentence";
import { type AuditFilters, useAuditLog } from "../../components/audit/useAuditLog";
import { EmptyState } from "../../components/EmptyState";
import { ExportButton } from "../../components/ExportButton";
import { LoadError } from "../../components/Loaded";
import { Page } from "../../components/Page";
import { permissionName } from "../../components/permissions/names";
import { useAddress } from "../../components/useAddress";
import { Code, Muted, State, When } from "../../components/text";
import { TIME_ZONE, useErrorText, useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { AuditFilterBar } from "./AuditFilterBar";
import { changes } from "./diff";
import { DiffTable } from "./DiffTable";

const PAGE_SIZE = 25;

/** Who did what, newest first. */
export function AuditPage() {
  const t = useText();
  const canRead = useCan("admin.audit.read");
  const [filters, change, clear] = useFilters();
  if (!canRead) {
    return (
      <Page title={t("common.resources.audit_log")}>
        <Alert severity="info">
          {t("errors.missingPermission", {
            permission: permissionName("admin.audit.read", t),
          })}
        </Alert>
      </Page>
    );
  }
  return (
    <Page
      title={t("common.resources.audit_log")}
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
      <Muted sx={{ mb: 1 }} role="status">
        {log.isTotalExact
          ? t("audit.total", { smart_count: log.total })
          : t("audit.totalAtLeast", { number: format.number(log.total) })}
      </Muted>
      <Card>
        <Box
          component="ol"
          aria-label={t("common.resources.audit_log")}
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

/** One entry: what happened, when, and on request what exactly changed. */
function AuditRow({ entry, isFresh }: { entry: Entry; isFresh: boolean }) {
  const t = useText();
  const tokens = useTokens();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const fields = changes(entry.before, entry.after);
  return (
    <Box
      component="li"
      sx={{
        px: { xs: 1.5, sm: 2.5 },
        py: 1.25,
        borderTop: 1,
        borderColor: "divider",
        ...(isFresh && { bgcolor: tokens.accentSoft }),
      }}
    >
      <Box sx={{ display: "flex", alignItems: "flex-start", gap: 1.5 }}>
        <AuditIcon action={entry.action} />
        <Box sx={{ flexGrow: 1, minWidth: 0 }}>
          <Typography variant="body2" component="div" sx={{ pt: 0.25 }}>
            <AuditSentence entry={entry} />
          </Typography>
          <Muted sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 1.5 }}>
            <When at={entry.at} />
            {entry.ip !== null && <span>{entry.ip}</span>}
            {isFresh && <State tone="accent" text={t("audit.fresh")} />}
          </Muted>
        </Box>
        <Button
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={t("audit.details")}
          sx={{ flexShrink: 0, minWidth: 0 }}
          endIcon={
            <ExpandMore sx={{ transition: "rotate 0.15s", rotate: isOpen ? "180deg" : "none" }} />
          }
        >
          <Box component="span" sx={{ display: { xs: "none", sm: "inline" } }}>
            {t("audit.details")}
          </Box>
        </Button>
      </Box>
      <Collapse in={isOpen} id={id} unmountOnExit>
        <Box sx={{ pt: 1, pl: { sm: 5.5 } }}>
          {fields.length === 0 ? (
            <Muted>{t("audit.noFields")}</Muted>
          ) : (
            <DiffTable changes={fields} />
          )}
          <TechnicalDetails entry={entry} />
        </Box>
      </Collapse>
    </Box>
  );
}

/** What programs call it, for people who look into logs or write to the API. */
function TechnicalDetails({ entry }: { entry: Entry }) {
  const t = useText();
  return (
    <Muted component="details" sx={{ pt: 1 }}>
      <Box component="summary" sx={{ cursor: "pointer" }}>
        {t("audit.technical")}
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 3, py: 1 }}>
        <Detail label={t("audit.action")} value={entry.action} />
        <Detail label={t("audit.resourceId")} value={String(entry.resource_id)} />
        <Detail label={t("audit.request")} value={entry.request_id} />
        <Detail label={t("audit.entry")} value={String(entry.id)} />
      </Box>
      <Code>{JSON.stringify({ before: entry.before, after: entry.after })}</Code>
    </Muted>
  );
}

function Detail({ label, value }: { label: string; value: string }) {
  return (
    <span>
      {label}: <Code>{value}</Code>
    </span>
  );
}

const TEXTS = ["resource", "action", "from", "to"] as const;
const NUMBERS = ["user_id", "about_user_id", "key_id", "resource_id"] as const;

/** The filters of the page. They are in the address, so that a link shows the same. */
function useFilters(): [AuditFilters, (changes: AuditFilters) => void, () => void] {
  const [search, change] = useAddress({ replace: true });
  const filters: AuditFilters = {};
  for (const name of TEXTS) {
    const value = search.get(name);
    if (value !== null && value !== "") {
      filters[name] = value;
    }
  }
  for (const name of NUMBERS) {
    const value = search.get(name);
    if (value !== null && /^\d{1,15}$/.test(value)) {
      filters[name] = Number(value);
    }
  }
  const clear = () => change(Object.fromEntries([...search.keys()].map((name) => [name, null])));
  return [filters, (changes) => change({ ...changes }), clear];
}
