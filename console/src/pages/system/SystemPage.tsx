import { Box } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { useRead } from "../../api/useRead";
import { FactGrid } from "../../components/Facts";
import { Loaded } from "../../components/Loaded";
import { Page, Panel } from "../../components/Page";
import { Muted, State } from "../../components/text";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BackupsPanel } from "./BackupsPanel";
import { MetricsPanel, useMetrics } from "./MetricsPanel";

/** How the service itself is: what runs, what is saved, how much it does. */
export function SystemPage() {
  const t = useText();
  const canSeeBackups = useCan("admin.backups.read");
  return (
    <Page title={t("system.title")} subtitle={t("system.subtitle")}>
      <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "minmax(0, 1fr)" }}>
        <ServicePanel />
        {canSeeBackups && <BackupsPanel />}
        <MetricsPanel />
      </Box>
    </Page>
  );
}

/** Which program runs here, and whether it is well. */
function ServicePanel() {
  const t = useText();
  const status = useRead(["status"], () => api.GET("/api/status"));
  const engine = useMetrics().data?.at(-1)?.engine ?? null;
  return (
    <Panel title={t("system.service.title")}>
      <Loaded query={status} height={96}>
        {({ cms_version, api_version }) => (
          <FactGrid
            facts={[
              [t("common.version"), cms_version],
              [t("system.service.apiVersion"), api_version],
              [t("system.service.engine"), t(`system.engines.${engine ?? "unknown"}`)],
              [t("system.service.alive"), <Probe key="alive" path="/healthz" />],
              [t("system.service.ready"), <Probe key="ready" path="/readyz" />],
            ]}
          />
        )}
      </Loaded>
      <Muted sx={{ mt: 2 }}>{t("system.service.migrations")}</Muted>
    </Panel>
  );
}

/**
 * What a check of the service answers. It is asked once and not at intervals: the service waits for
 * load balancers before it stops, and would take a page that asks all the time for one.
 */
function Probe({ path }: { path: "/healthz" | "/readyz" }) {
  const t = useText();
  const probe = useQuery({
    queryKey: ["probe", path],
    queryFn: async () => {
      const response = await fetch(path);
      return { isOk: response.ok, answer: (await response.text()).slice(0, 100) };
    },
    refetchOnWindowFocus: false,
    retry: false,
  });
  if (probe.isError) {
    return <State tone="bad" text={t("system.service.noAnswer")} />;
  }
  if (probe.data === undefined) {
    return "…";
  }
  const { isOk, answer } = probe.data;
  return isOk ? (
    <State tone="good" text={t("common.yes")} />
  ) : (
    <State tone="bad" text={`${t("common.no")}: ${answer}`} />
  );
}
