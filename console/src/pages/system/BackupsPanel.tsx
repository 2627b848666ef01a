import BackupOutlined from "@mui/icons-material/BackupOutlined";
import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNotify } from "react-admin";
import { api, body } from "../../api/client";
import { ApiError } from "../../api/error";
import { EmptyState } from "../../components/EmptyState";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Panel";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { BackupTable } from "./BackupTable";

const QUERY_KEY = ["backups", "list"];
/** How often a running backup is looked at. */
const RUNNING_MS = 2000;

/** The backups that the service stores. */
export function BackupsPanel() {
  const t = useText();
  const notify = useNotify();
  const errorText = useErrorText();
  const queries = useQueryClient();
  const [isStarting, setStarting] = useState(false);
  const list = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async () => (await body(api.GET("/api/backups"))).backups.toReversed(),
    refetchInterval: ({ state }) =>
      (state.data ?? []).some((backup) => backup.state === "running") ? RUNNING_MS : false,
    retry: false,
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ["backups"] });
  const isRunning = (list.data ?? []).some(({ state }) => state === "running");
  const newest = list.data?.find(({ state }) => state === "done");

  const start = async () => {
    setStarting(true);
    try {
      await api.POST("/api/backups");
      await refresh();
    } catch (error) {
      notify(errorText(error), { type: "error" });
    } finally {
      setStarting(false);
    }
  };

  if (list.error instanceof ApiError && list.error.code === "backups_disabled") {
    return (
      <Panel title={t("system.backups.title")}>
        <Alert severity="info">{t("system.backups.disabled")}</Alert>
      </Panel>
    );
  }
  const make = (
    <Button
      variant="contained"
      startIcon={<BackupOutlined />}
      loading={isStarting || isRunning}
      loadingPosition="start"
      disabled={list.data === undefined}
      onClick={() => void start()}
    >
      {t(isRunning ? "system.backups.running" : "system.backups.make")}
    </Button>
  );
  return (
    <Panel
      title={t("system.backups.title")}
      hint={
        newest && (
          <>
            {t("system.backups.newest")} <When at={newest.created_at} />
          </>
        )
      }
      actions={make}
    >
      <Loaded query={list} height={160}>
        {(backups) =>
          backups.length === 0 ? (
            <EmptyState
              icon={BackupOutlined}
              title={t("system.backups.none")}
              text={t("system.backups.noneText")}
            />
          ) : (
            <BackupTable backups={backups} onDeleted={refresh} />
          )
        }
      </Loaded>
    </Panel>
  );
}
