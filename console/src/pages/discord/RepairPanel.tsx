import { Alert, Box, Button, DialogContentText, Stack } from "@mui/material";
import { useState } from "react";
import { api, body, type Schemas } from "../../api/client";
import { ApiError } from "../../api/error";
import { Modal } from "../../components/Modal";
import { Panel } from "../../components/Page";
import { Muted } from "../../components/text";
import { useAct, useDone } from "../../components/useAct";
import { useText } from "../../i18n";
import type { Change, Connection } from "./connection";
import { isRefused } from "./findings";
import { Person } from "./MembersPanel";
import { ServerRoleChip } from "./roles";

type Reply = Schemas["DiscordRepairReply"];
/** What a repair would change, or that nobody can say without the intent. */
type Preview = { changes: Change[]; total: number } | "unknown";

const repair = (dry_run: boolean): Promise<Reply> =>
  body(api.POST("/api/discord/repair", { body: { dry_run } })) as Promise<Reply>;

async function readPreview(): Promise<Preview> {
  try {
    const { changes = [], total = 0 } = await repair(true);
    return { changes, total };
  } catch (error) {
    if (error instanceof ApiError && error.code === "discord_intent_missing") {
      return "unknown";
    }
    throw error;
  }
}

/** Compares everybody at Discord, after a look at what would change. */
export function RepairPanel({ connection }: { connection: Connection }) {
  const t = useText();
  const [isBusy, act] = useAct();
  const [preview, setPreview] = useState<Preview | null>(null);
  return (
    <Panel title={t("discord.repair.title")} hint={t("discord.repair.hint")}>
      <Button
        variant="outlined"
        loading={isBusy}
        // Nothing can be asked with a token that is refused.
        disabled={isRefused(connection.error)}
        onClick={() => act(async () => setPreview(await readPreview()))}
      >
        {t("discord.repair.preview")}
      </Button>
      {preview !== null && (
        <PreviewDialog
          preview={preview}
          isActive={connection.active}
          onClose={() => setPreview(null)}
        />
      )}
    </Panel>
  );
}

interface Props {
  preview: Preview;
  isActive: boolean;
  onClose: () => void;
}

function PreviewDialog({ preview, isActive, onClose }: Props) {
  const t = useText();
  const done = useDone();
  const [isBusy, act] = useAct();
  const isNothing = preview !== "unknown" && preview.total === 0;
  const mayRun = isActive && !isNothing;
  const run = async () => {
    await repair(false);
    onClose();
    done(t("discord.repair.started"));
  };
  return (
    <Modal
      title={t("discord.repair.dialog")}
      width="sm"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t(mayRun ? "common.cancel" : "common.close")}</Button>
          {mayRun && (
            <Button variant="contained" loading={isBusy} onClick={() => act(run)}>
              {t("discord.repair.run")}
            </Button>
          )}
        </>
      }
    >
      {preview === "unknown" ? (
        <Alert severity="warning">
          {t("errors.codes.discord_intent_missing")} {t("discord.repair.without")}
        </Alert>
      ) : isNothing ? (
        <DialogContentText>{t("discord.repair.nothing")}</DialogContentText>
      ) : (
        <Changes {...preview} />
      )}
      {!isActive && !isNothing && (
        <Alert severity="info" sx={{ mt: 2 }}>
          {t("discord.repair.off")}
        </Alert>
      )}
    </Modal>
  );
}

/** How many are shown at first, and more on request. The name of each is read. */
const STEP = 25;

function Changes({ changes, total }: { changes: Change[]; total: number }) {
  const t = useText();
  const [count, setCount] = useState(STEP);
  return (
    <>
      <DialogContentText>
        {t("discord.repair.total", { smart_count: total })}{" "}
        {total > changes.length && t("discord.repair.shown", { count: changes.length })}
      </DialogContentText>
      <Stack
        component="ul"
        aria-label={t("discord.repair.dialog")}
        sx={{ m: 0, mt: 1.5, p: 0, listStyle: "none" }}
      >
        {changes.slice(0, count).map((change) => (
          <Box
            component="li"
            key={change.discord_id}
            sx={{ py: 1.25, borderTop: 1, borderColor: "divider" }}
          >
            <Person userId={change.user_id} discordId={change.discord_id} />
            <Roles label={t("discord.repair.gains")} ids={change.add} />
            <Roles label={t("discord.repair.loses")} ids={change.remove} />
          </Box>
        ))}
      </Stack>
      {changes.length > count && (
        <Button onClick={() => setCount(count + STEP)}>{t("common.showMore")}</Button>
      )}
    </>
  );
}

function Roles({ label, ids }: { label: string; ids: string[] }) {
  return (
    ids.length > 0 && (
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 0.75, mt: 0.75 }}>
        <Muted sx={{ minWidth: 64 }}>{label}</Muted>
        {ids.map((id) => (
          <ServerRoleChip key={id} id={id} />
        ))}
      </Box>
    )
  );
}
