import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Panel";
import { State } from "../../components/State";
import { useText } from "../../i18n";
import { Facts } from "./Facts";
import { useMetrics } from "./useMetrics";

/** Which program runs here, and whether it is well. */
export function ServicePanel() {
  const t = useText();
  const status = useQuery({
    queryKey: ["status"],
    queryFn: () => body(api.GET("/api/status")),
  });
  const engine = useMetrics().data?.at(-1)?.engine ?? null;
  return (
    <Panel title={t("system.service.title")}>
      <Loaded query={status} height={96}>
        {({ cms_version, api_version }) => (
          <Facts
            facts={[
              [t("system.service.version"), cms_version],
              [t("system.service.apiVersion"), api_version],
              [t("system.service.engine"), t(`system.engines.${engine ?? "unknown"}`)],
              [t("system.service.alive"), <Probe key="alive" path="/healthz" />],
              [t("system.service.ready"), <Probe key="ready" path="/readyz" />],
            ]}
          />
        )}
      </Loaded>
      <Typography variant="body2" color="textSecondary" sx={{ mt: 2 }}>
        {t("system.service.migrations")}
      </Typography>
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
