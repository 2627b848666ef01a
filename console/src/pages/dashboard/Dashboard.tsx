import CheckCircle from "@mui/icons-material/CheckCircle";
import RadioButtonUnchecked from "@mui/icons-material/RadioButtonUnchecked";
import { Alert, AlertTitle, Box, Button, Typography } from "@mui/material";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useStore } from "react-admin";
import { api } from "../../api/client";
import { resource, type ResourceName } from "../../api/resources";
import { useRead } from "../../api/useRead";
import { AuditIcon } from "../../components/audit/AuditIcon";
import { AuditSentence } from "../../components/audit/AuditSentence";
import { useAuditLog } from "../../components/audit/useAuditLog";
import { RouteButton, RouteLink } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { Columns, Page, Panel } from "../../components/Page";
import { ToggleButtons } from "../../components/ToggleButtons";
import { Muted, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { grants, useCan, useSession } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { AttentionPanel } from "./AttentionPanel";
import { Figures, total } from "./Figures";
import { LENGTHS } from "../payments/period";
import { InvoiceStates, RevenuePanel } from "./Revenue";
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
          ? t("dashboard.period", { days: format.days(choice.current.from, choice.current.to) })
          : t("dashboard.welcome", { name })
      }
      actions={
        hasPeriod && (
          <ToggleButtons
            color="primary"
            aria-label={t("common.period")}
            value={choice.length}
            options={LENGTHS}
            text={(days) => t("common.days", { smart_count: days })}
            onChange={(days) => change({ days })}
          />
        )
      }
    >
      <Box sx={{ display: "grid", gap: 2 }}>
        <FailedSignIns />
        <FirstSteps />
        <Figures choice={choice} />
        <Columns widths="minmax(0, 2fr) minmax(0, 1fr)" gap={2}>
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
        </Columns>
      </Box>
    </Page>
  );
}

/**
 * Says that someone else may have tried to sign in. The reply to signing in does not have it, so the
 * session is read.
 */
function FailedSignIns() {
  const t = useText();
  const format = useFormat();
  const { data } = useRead(
    ["console_sessions", "failures"],
    () => api.GET("/api/console/session"),
    { staleTime: Infinity },
  );
  // A session has its own end, which tells it from the next one.
  const [seen, setSeen] = useStore("failures.seen", "");
  const { codes = 0, passwords = 0 } = data?.failures ?? {};
  if (data === undefined || data.expires_at === seen || codes + passwords === 0) {
    return null;
  }
  const failures = [
    ...(codes > 0 ? [t("dashboard.failures.codes", { smart_count: codes })] : []),
    ...(passwords > 0 ? [t("dashboard.failures.passwords", { smart_count: passwords })] : []),
  ];
  return (
    <Alert severity="warning" onClose={() => setSeen(data.expires_at)}>
      <AlertTitle>{t("dashboard.failures.since", { failures: format.list(failures) })}</AlertTitle>
      {t(codes > 0 ? "dashboard.failures.knowsPassword" : "dashboard.failures.guesses")}{" "}
      <RouteLink to="/account">{t("account.title")}</RouteLink>
    </Alert>
  );
}

const SHOWN = 8;
const EVERYTHING = {};

/** What happened last, as it happens. */
function ActivityPanel() {
  const t = useText();
  const tokens = useTokens();
  const log = useAuditLog(EVERYTHING, SHOWN);
  return (
    <Panel
      title={t("dashboard.activity")}
      actions={<RouteButton to="/audit-log">{t("common.showAll")}</RouteButton>}
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
                  <Muted>
                    <When at={entry.at} />
                  </Muted>
                </Box>
              </Box>
            ))}
          </Box>
        )}
      </Loaded>
    </Panel>
  );
}

/** A community with more users than this has found its way. */
const FEW_USERS = 5;

/** What to do first. A step is done once there are so many records. */
const STEPS = [
  { step: "server", of: "servers", done: 1 },
  { step: "role", of: "roles", done: 1 },
  { step: "currency", of: "currencies", done: 1 },
  { step: "gateway", of: "gateways", done: 1 },
  // The service makes the first one itself.
  { step: "key", of: "api-keys", done: 2 },
  { step: "operator", of: "operators", done: 2 },
] as const satisfies { step: string; of: ResourceName; done: number }[];

type StepName = (typeof STEPS)[number]["step"] | "backup" | "secondFactor";

/** Guides through an empty service until everything is done, or the person has seen enough. */
function FirstSteps() {
  const t = useText();
  const session = useSession();
  const [isHidden, setHidden] = useStore("firstSteps.hidden", false);
  const steps = STEPS.filter(({ of }) => grants(session, resource(of).write));
  const canCount = grants(session, "admin.users.read");
  const countOf = (name: ResourceName) => ({
    queryKey: [name, "dashboard", "total"],
    queryFn: () => total(resource(name).path),
  });
  const { data: users = Infinity } = useQuery({
    ...countOf("users"),
    enabled: canCount && !isHidden,
  });
  const isNew = !isHidden && users <= FEW_USERS;
  const found = useQueries({
    queries: steps.map(({ of }) => ({ ...countOf(of), enabled: isNew })),
  });
  const operator = session?.operator;
  const mayBackUp = grants(session, "admin.backups");
  const { data: backups } = useRead(["backups", "list"], () => api.GET("/api/backups"), {
    enabled: isNew && mayBackUp && session?.features.backups === true,
    select: ({ backups }) => backups.length,
  });
  if (!isNew || found.some(({ data }) => data === undefined)) {
    return null;
  }
  const list = [
    ...steps.map(({ step, of, done }, index) => ({
      step,
      path: `/${of}/create`,
      isDone: (found[index]?.data ?? 0) >= done,
    })),
    ...(mayBackUp
      ? [{ step: "backup" as const, path: "/system", isDone: (backups ?? 0) > 0 }]
      : []),
    ...(operator === undefined
      ? []
      : [{ step: "secondFactor" as const, path: "/account", isDone: operator.two_factor }]),
  ];
  if (list.every(({ isDone }) => isDone)) {
    return null;
  }
  return (
    <Panel
      title={t("dashboard.steps.title")}
      hint={t("dashboard.steps.hint")}
      actions={<Button onClick={() => setHidden(true)}>{t("dashboard.steps.hide")}</Button>}
    >
      <Box
        component="ol"
        sx={{
          listStyle: "none",
          m: 0,
          p: 0,
          display: "grid",
          gap: 2,
          gridTemplateColumns: "repeat(auto-fit, minmax(220px, 1fr))",
        }}
      >
        {list.map(({ step, path, isDone }) => (
          <Step key={step} step={step} path={path} isDone={isDone} />
        ))}
      </Box>
    </Panel>
  );
}

interface StepProps {
  step: StepName;
  path: string;
  isDone: boolean;
}

function Step({ step, path, isDone }: StepProps) {
  const t = useText();
  const tokens = useTokens();
  const Icon = isDone ? CheckCircle : RadioButtonUnchecked;
  return (
    <Box component="li" sx={{ display: "flex", gap: 1.25 }}>
      <Icon
        titleAccess={t(isDone ? "dashboard.steps.done" : "dashboard.steps.open")}
        sx={{ color: isDone ? tokens.good : tokens.muted }}
      />
      <Box>
        {isDone ? (
          <Typography sx={{ fontWeight: 600, color: "text.secondary" }}>
            {t(`dashboard.steps.${step}`)}
          </Typography>
        ) : (
          <RouteLink to={path} sx={{ fontWeight: 600 }}>
            {t(`dashboard.steps.${step}`)}
          </RouteLink>
        )}
        <Muted>{t(`dashboard.steps.why.${step}`)}</Muted>
      </Box>
    </Box>
  );
}
