import Typography from "@mui/material/Typography";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DateTimeInput, required, useNotify } from "react-admin";
import { api, body } from "../../api/client";
import { FormDialog } from "../../components/form/FormDialog";
import { useText } from "../../i18n";
import { TIME_ZONE } from "../../i18n/format";
import type { Webhook } from "./types";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Sends the events of a period again. */
export function ReplayDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  // The fields show minutes: the minute that has begun is included, too.
  const [now] = useState(Date.now);
  const moment = (value: unknown) => new Date(value as string | Date).toISOString();
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
      <Typography variant="body2" color="textSecondary">
        {t("webhooks.replay.hint")} {t("common.timeZone", { zone: TIME_ZONE })}
      </Typography>
      <DateTimeInput
        source="from"
        label={t("webhooks.replay.from")}
        helperText={false}
        validate={required()}
      />
      <DateTimeInput
        source="to"
        label={t("webhooks.replay.to")}
        helperText={false}
        validate={required()}
      />
    </FormDialog>
  );
}
