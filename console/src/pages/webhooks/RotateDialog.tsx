import Typography from "@mui/material/Typography";
import { useRef, useState } from "react";
import { SelectInput, useRefresh } from "react-admin";
import { request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { FormDialog } from "../../components/form/FormDialog";
import { useText } from "../../i18n";
import { SecretDialog } from "./SecretDialog";
import type { Webhook } from "./types";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Issues a new signing secret. The old one signs as well for a while, so that nothing is lost. */
export function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
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
      <Typography variant="body2" color="textSecondary">
        {t("webhooks.rotate.hint")}
      </Typography>
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
