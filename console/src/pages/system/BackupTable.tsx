import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import FileDownloadOutlined from "@mui/icons-material/FileDownloadOutlined";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import LinearProgress from "@mui/material/LinearProgress";
import Tooltip from "@mui/material/Tooltip";
import Typography from "@mui/material/Typography";
import { useState } from "react";
import { api, type Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";

type Backup = Schemas["Backup"];

const TONES = { done: "good", running: "accent", failed: "bad" } as const;

interface Props {
  /** The newest first. */
  backups: Backup[];
  onDeleted: () => Promise<void>;
}

export function BackupTable({ backups, onDeleted }: Props) {
  const t = useText();
  const [doomed, setDoomed] = useState<Backup | null>(null);
  const isLast = backups.filter(({ state }) => state === "done").length === 1;
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
            onDelete={() => setDoomed(backup)}
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
          {t(isLast && doomed.state === "done" ? "system.backups.loseLast" : "system.backups.lose")}
        </ConfirmDialog>
      )}
    </>
  );
}

function Row({ backup, onDelete }: { backup: Backup; onDelete: () => void }) {
  const t = useText();
  const format = useFormat();
  const { name, state, size, created_at: at, counts } = backup;
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
        <Typography
          variant="body2"
          color="textSecondary"
          component="div"
          sx={{ display: "flex", flexWrap: "wrap", columnGap: 1.5 }}
        >
          <When at={at} />
          {size !== null && <span>{format.bytes(size)}</span>}
          {counts !== null && (
            <span>{t("system.backups.rows", { number: format.number(rows) })}</span>
          )}
          {state === "failed" && <span>{t("system.backups.failedHint")}</span>}
        </Typography>
        {state === "running" && (
          <LinearProgress aria-label={t("system.backups.states.running")} sx={{ mt: 1 }} />
        )}
      </Box>
      <State tone={TONES[state]} text={t(`system.backups.states.${state}`)} />
      {state === "done" && (
        <Tooltip title={t("system.backups.download")}>
          <IconButton
            component="a"
            href={`/api/backups/${name}`}
            download={name}
            aria-label={`${t("system.backups.download")}: ${name}`}
          >
            <FileDownloadOutlined />
          </IconButton>
        </Tooltip>
      )}
      {state !== "running" && (
        <Tooltip title={t("common.delete")}>
          <IconButton onClick={onDelete} aria-label={`${t("common.delete")}: ${name}`}>
            <DeleteOutlined />
          </IconButton>
        </Tooltip>
      )}
    </Box>
  );
}
