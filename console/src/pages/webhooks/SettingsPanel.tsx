import { EditForm } from "../../components/form/EditForm";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import type { Webhook } from "./types";
import { WebhookFields } from "./WebhookFields";

export function SettingsPanel({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const canWrite = useCan("admin.webhooks");
  return (
    <Panel title={t("webhooks.tabs.settings")}>
      <EditForm<Webhook>
        resource="webhooks"
        record={webhook}
        readOnly={!canWrite}
        fields={{
          format: t("webhooks.fields.format"),
          url: t("webhooks.fields.url"),
          name: t("common.name"),
          events: t("webhooks.fields.events"),
        }}
      >
        <WebhookFields />
      </EditForm>
    </Panel>
  );
}
