import { useState } from "react";
import { useNavigate } from "react-router";
import { api, body, type Schemas } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import type { Values } from "../../components/form/conflict";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { SecretDialog } from "./SecretDialog";
import { WebhookFields } from "./WebhookFields";

const FIELDS = ["format", "url", "name", "events"];
const DEFAULTS = { format: "standard", url: "", name: null, events: ["*"] };

export function WebhookCreate() {
  const t = useText();
  const navigate = useNavigate();
  const [issued, setIssued] = useState<Schemas["IssuedWebhook"] | null>(null);

  const create = async (values: Values) => {
    const { webhook } = await body(
      api.POST("/api/webhooks", { body: values as Schemas["NewWebhook"] }),
    );
    if (webhook.format === "discord") {
      // Discord does not check signatures, so there is nothing to take along.
      return `/webhooks/${webhook.id}`;
    }
    setIssued(webhook);
    return undefined;
  };

  return (
    <Page
      narrow
      title={t("webhooks.create.title")}
      subtitle={t("webhooks.create.hint")}
      back={{ to: "/webhooks", text: t("webhooks.title") }}
    >
      <Panel>
        <CreateForm fields={FIELDS} defaults={DEFAULTS} create={create}>
          <WebhookFields />
        </CreateForm>
      </Panel>
      {issued !== null && (
        <SecretDialog
          title={t("webhooks.create.done")}
          secret={issued.secret}
          onClose={() => void navigate(`/webhooks/${issued.id}`)}
        />
      )}
    </Page>
  );
}
