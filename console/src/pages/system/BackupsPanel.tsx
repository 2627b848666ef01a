import BackupOutlined from "@mui/icons-material/BackupOutlined";
import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import FileDownloadOutlined from "@mui/icons-material/FileDownloadOutlined";
import { Alert, Box, Button, LinearProgress, Typography } from "@mui/material";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { follow } from "../../api/download";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { CopyField } from "../../components/CopyField";
import { EmptyState } from "../../components/EmptyState";
import { IconAction } from "../../components/IconAction";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { useAct } from "../../components/useAct";
import { Muted, State, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { confirmFirst, useCan, useSession } from "../../session/session";

const QUERY_KEY = ["backups", "list"];
/** What turns backups on, as the packages have it. */
const SETTINGS = ['backup-dir = "/var/lib/steward/backups"', "backup-every = 24"];
/** How often a running backup is looked at. */
const RUNNING_MS = 2000;

/** The backups that the service stores. */
export function BackupsPanel() {
  const t = useText();
  const queries = useQueryClient();
  const mayMake = useCan("admin.backups");
  const isEnabled = useSession()?.features.backups ?? false;
  const [isStarting, act] = useAct();
  const list = useQuery({
    queryKey: QUERY_KEY,
    queryFn: async () => (await body(api.GET("/api/backups"))).backups.toReversed(),
    refetchInterval: ({ state }) =>
      (state.data ?? []).some((backup) => backup.state === "running") ? RUNNING_MS : false,
    enabled: isEnabled,
    retry: false,
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ["backups"] });
  const isRunning = (list.data ?? []).some(({ state }) => state === "running");
  const newest = list.data?.find(({ state }) => state === "done");

  const start = async () => {
    await api.POST("/api/backups");
    await refresh();
  };

  if (!isEnabled) {
    return (
      <Panel title={t("common.resources.backups")}>
        <Alert severity="info" sx={{ mb: 2 }}>
          {t("system.backups.disabled")}
        </Alert>
        <Box sx={{ display: "grid", gap: 1, maxWidth: 560 }}>
          {SETTINGS.map((line) => (
            <CopyField key={line} label={t("system.backups.line")} value={line} />
          ))}
        </Box>
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
      onClick={() => act(start)}
    >
      {t(isRunning ? "system.backups.running" : "system.backups.make")}
    </Button>
  );
  return (
    <Panel
      title={t("common.resources.backups")}
      hint={
        newest && (
          <>
            {t("system.backups.newest")} <When at={newest.created_at} />
          </>
        )
      }
      actions={mayMake && make}
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

type Backup = Schemas["Backup"];

const TONES = { done: "good", running: "accent", failed: "bad" } as const;

interface Props {
  /** The newest first. */
  backups: Backup[];
  onDeleted: () => Promise<void>;
}

function BackupTable({ backups, onDeleted }: Props) {
  const t = useText();
  const [doomed, setDoomed] = useState<Backup | null>(null);
  const mayDelete = useCan("admin.backups");
  // The service keeps the newest one.
  const newest = backups.find(({ state }) => state === "done");
  const remove = async (name: string) => {
    await api.DELETE("/api/backups/{name}", { params: { path: { name } } });
    await onDeleted();
  };
  return (
    <>
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0 }}>
        {backups.map((backup) => (
          <Row
            key={`${backup.name} ${backup.state}`}
            backup={backup}
            onDelete={mayDelete && backup !== newest ? () => setDoomed(backup) : undefined}
          />
        ))}
      </Box>
      {doomed !== null && (
        <ConfirmDialog
          title={t("common.confirmDelete", { name: doomed.name })}
          confirm={t("common.delete")}
          danger
          onConfirm={() => remove(doomed.name)}
          onClose={() => setDoomed(null)}
        >
          {t("system.backups.lose")}
        </ConfirmDialog>
      )}
    </>
  );
}

function Row({ backup, onDelete }: { backup: Backup; onDelete: (() => void) | undefined }) {
  const t = useText();
  const [, act] = useAct();
  const format = useFormat();
  const { name, state, size, created_at: at, counts } = backup;
  const download = async () => {
    if (await confirmFirst()) {
      follow(`/api/backups/${name}`, name);
    }
  };
  const rows = Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <Box
      component="li"
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 1.5,
        py: 1,
        borderTop: 1,
        borderColor: "divider",
        "&:first-of-type": { borderTop: 0 },
      }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Typography sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>{name}</Typography>
        <Muted sx={{ display: "flex", flexWrap: "wrap", columnGap: 1.5 }}>
          <When at={at} />
          {size !== null && <span>{format.bytes(size)}</span>}
          {counts !== null && (
            <span>{t("system.backups.rows", { number: format.number(rows) })}</span>
          )}
          {state === "failed" && <span>{t("system.backups.failedHint")}</span>}
        </Muted>
        {state === "running" && (
          <LinearProgress aria-label={t("system.backups.states.running")} sx={{ mt: 1 }} />
        )}
      </Box>
      <State tone={TONES[state]} text={t(`system.backups.states.${state}`)} />
      {state === "done" && (
        <IconAction
          icon={FileDownloadOutlined}
          tip={t("common.download")}
          label={`${t("common.download")}: ${name}`}
          onClick={() => act(download)}
        />
      )}
      {state !== "running" && onDelete !== undefined && (
        <IconAction
          icon={DeleteOutlined}
          tip={t("common.delete")}
          label={`${t("common.delete")}: ${name}`}
          onClick={onDelete}
        />
      )}
    </Box>
  );
}
