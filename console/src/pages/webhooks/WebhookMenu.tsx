import { Alert, Box, Button, Typography } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { DateTimeInput, SelectInput, useNotify, useRefresh } from "react-admin";
import { api, body, request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { CopyField } from "../../components/CopyField";
import { DeleteDialog } from "../../components/DeleteDialog";
import { FormDialog } from "../../components/form/FormDialog";
import { ActionMenu } from "../../components/IconAction";
import { Modal } from "../../components/Modal";
import { Muted } from "../../components/text";
import { TIME_ZONE, useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";
import type { Webhook } from "./types";

type Action = "rotate" | "replay" | "delete";

/** What is done with a webhook now and then. */
export function WebhookMenu({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [chosen, setChosen] = useState<Action | null>(null);
  const close = () => setChosen(null);
  return (
    <ActionMenu
      name={webhook.name}
      actions={[
        { text: t("webhooks.rotate.open"), run: () => setChosen("rotate") },
        { text: t("webhooks.replay.open"), run: () => setChosen("replay") },
        { text: t("common.delete"), run: () => setChosen("delete"), danger: true },
      ]}
    >
      {chosen === "rotate" && <RotateDialog webhook={webhook} onClose={close} />}
      {chosen === "replay" && <ReplayDialog webhook={webhook} onClose={close} />}
      {chosen === "delete" && (
        <DeleteDialog resource="webhooks" record={webhook} name={webhook.name} onClose={close}>
          {t("webhooks.deleteHint")}
        </DeleteDialog>
      )}
    </ActionMenu>
  );
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Issues a new signing secret. The old one signs as well for a while, so that nothing is lost. */
function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText();
  const refresh = useRefresh();
  const [issued, setIssued] = useState<{ secret: string; overlap: number } | null>(null);
  const isIssued = useRef(false);

  if (issued !== null) {
    return (
      <SecretDialog
        title={t("webhooks.rotate.done")}
        secret={issued.secret}
        note={t(issued.overlap === 0 ? "webhooks.rotate.oldGone" : "webhooks.rotate.oldStays")}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={t("webhooks.rotate.title")}
      fields={["overlap_seconds"]}
      defaults={{ overlap_seconds: DAY }}
      submit={t("webhooks.rotate.submit")}
      save={async ({ overlap_seconds }) => {
        const overlap = Number(overlap_seconds);
        const { body } = await request("POST", `/api/webhooks/${webhook.id}/rotate-secret`, {
          body: { overlap_seconds: overlap } satisfies Schemas["WebhookSecretRotation"],
          ifMatch: webhook[ETAG] as string | undefined,
        });
        const { secret } = (body as unknown as Schemas["IssuedWebhookReply"]).webhook;
        isIssued.current = true;
        setIssued({ secret, overlap });
        refresh();
      }}
      // After saving, the secret takes the place of the form.
      onClose={() => {
        if (!isIssued.current) {
          onClose();
        }
      }}
    >
      <Muted>{t("webhooks.rotate.hint")}</Muted>
      <SelectInput
        source="overlap_seconds"
        label={t("webhooks.rotate.overlap")}
        helperText={false}
        translateChoice={false}
        choices={[
          { id: 0, name: t("webhooks.rotate.now") },
          { id: HOUR, name: t("webhooks.rotate.hour") },
          { id: DAY, name: t("webhooks.rotate.day") },
          { id: 7 * DAY, name: t("webhooks.rotate.week") },
        ]}
      />
    </FormDialog>
  );
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Sends the events of a period again. */
function ReplayDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  // The fields show minutes: the minute that has begun is included, too.
  const [now] = useState(Date.now);
  const moment = (value: unknown) => {
    const at = new Date((value as string | Date | null) ?? Number.NaN);
    return Number.isNaN(at.getTime()) ? "" : at.toISOString();
  };
  return (
    <FormDialog
      title={t("webhooks.replay.title")}
      fields={["from", "to"]}
      defaults={{ from: new Date(now - DAY_MS), to: new Date(now + MINUTE_MS) }}
      submit={t("webhooks.replay.submit")}
      save={async ({ from, to }) => {
        const { queued } = await body(
          api.POST("/api/webhooks/{id}/replay", {
            params: { path: { id: webhook.id } },
            body: { from: moment(from), to: moment(to) },
          }),
        );
        notify(t("webhooks.replay.queued", { smart_count: queued }), { type: "success" });
        await queries.invalidateQueries({ queryKey: ["webhooks", webhook.id] });
      }}
      onClose={onClose}
    >
      <Muted>
        {t("webhooks.replay.hint")} {t("common.timeZone", { zone: TIME_ZONE })}
      </Muted>
      <DateTimeInput source="from" label={t("common.from")} helperText={false} required />
      <DateTimeInput source="to" label={t("common.to")} helperText={false} required />
    </FormDialog>
  );
}

interface Props {
  title: string;
  secret: string;
  /** What happens to the secret before, if there was one. */
  note?: string;
  onClose: () => void;
}

/** How a receiver computes the signature, as a formula that reads the same in every language. */
const FORMULA = `key       = base64_decode(secret without "whsec_")
signed    = webhook-id + "." + webhook-timestamp + "." + body
signature = "v1," + base64(hmac_sha256(key, signed))`;

/** Shows a signing secret, once, and how to use it. It does not close by a stray click. */
export function SecretDialog({ title, secret, note, onClose }: Props) {
  const t = useText();
  const tokens = useTokens();
  return (
    <Modal
      title={title}
      width="sm"
      actions={
        <Button variant="contained" onClick={onClose}>
          {t("webhooks.secret.done")}
        </Button>
      }
    >
      <Alert severity="warning" sx={{ mb: 2 }}>
        {t("common.shownOnce")}
      </Alert>
      <CopyField label={t("webhooks.secret.label")} value={secret} />
      {note !== undefined && (
        <Typography variant="body2" sx={{ mt: 2 }}>
          {note}
        </Typography>
      )}
      <Typography variant="h3" sx={{ mt: 3, mb: 0.5 }}>
        {t("webhooks.secret.verify")}
      </Typography>
      <Muted>{t("webhooks.secret.how")}</Muted>
      <Box
        component="pre"
        role="region"
        tabIndex={0}
        aria-label={t("webhooks.secret.verify")}
        sx={{
          mt: 1.5,
          mb: 0,
          p: 1.5,
          borderRadius: 1,
          overflowX: "auto",
          bgcolor: tokens.inset,
          fontFamily: MONOSPACE,
          fontSize: 12,
        }}
      >
        {FORMULA}
      </Box>
    </Modal>
  );
}
