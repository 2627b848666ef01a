import { Box } from "@mui/material";
import { useState } from "react";
import { useNavigate } from "react-router";
import { api, body, type Schemas } from "../../api/client";
import { Actor } from "../../components/audit/AuditSentence";
import type { Values } from "../../components/form/conflict";
import { CreateForm } from "../../components/form/CreateForm";
import { EditForm } from "../../components/form/EditForm";
import { ListPage, UnsortedColumn } from "../../components/list/ListPage";
import { recordPage } from "../../components/recordPage";
import { Page, Panel } from "../../components/Page";
import { LabelledSwitch, SwitchColumn } from "../../components/RecordSwitch";
import { Muted } from "../../components/text";
import { UrlTabs } from "../../components/UrlTabs";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { TestButton } from "./AttemptView";
import { DeliveriesPanel } from "./DeliveriesPanel";
import { EventSummary, WebhookFields } from "./EventsInput";
import { CountCell, StateCell } from "./Health";
import type { Webhook } from "./types";
import { SecretDialog, WebhookMenu } from "./WebhookMenu";

const Column = UnsortedColumn<Webhook>;

export function WebhookList() {
  const t = useText();
  return (
    <ListPage<Webhook>
      resource="webhooks"
      subtitle={t("webhooks.hint")}
      card={(webhook) => ({
        title: webhook.name,
        detail: webhook.url,
        aside: <StateCell webhook={webhook} />,
      })}
    >
      <Column
        source="name"
        label={t("common.name")}
        render={({ name, url }) => (
          <Box sx={{ maxWidth: 420 }}>
            <Box sx={{ fontWeight: 600 }}>{name}</Box>
            <Muted sx={{ overflowWrap: "anywhere" }}>{url}</Muted>
          </Box>
        )}
      />
      <Column
        source="format"
        label={t("webhooks.fields.format")}
        render={({ format }) => t(`webhooks.format.${format}`)}
      />
      <Column
        source="events"
        label={t("webhooks.fields.events")}
        render={({ events }) => <EventSummary events={events} />}
      />
      <Column label={t("common.state")} render={(webhook) => <StateCell webhook={webhook} />} />
      <Column
        label={t("webhooks.fields.waiting")}
        render={({ id }) => <CountCell id={id} of="waiting" />}
      />
      <Column
        label={t("webhooks.fields.failed")}
        render={({ id }) => <CountCell id={id} of="failed" />}
      />
      <SwitchColumn<Webhook>
        resource="webhooks"
        field="active"
        title={t("common.active")}
        label={({ name }) => t("webhooks.activate", { name })}
        name={({ name }) => name}
      />
    </ListPage>
  );
}

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
      back="webhooks"
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

export const WebhookPage = recordPage("webhooks", Content);

function Content({ record: webhook }: { record: Webhook }) {
  const t = useText();
  const canWrite = useCan("admin.webhooks");
  const { name, url } = webhook;
  return (
    <Page
      title={name}
      badge={<StateCell webhook={webhook} />}
      subtitle={url}
      back="webhooks"
      actions={
        <>
          <LabelledSwitch
            resource="webhooks"
            record={webhook}
            field="active"
            text={t("common.active")}
            label={t("webhooks.activate", { name })}
            name={name}
          />
          {canWrite && (
            <>
              <TestButton webhook={webhook} />
              <WebhookMenu webhook={webhook} />
            </>
          )}
        </>
      }
    >
      <UrlTabs
        label={name}
        tabs={[
          {
            name: "deliveries",
            text: t("webhooks.tabs.deliveries"),
            content: <DeliveriesPanel webhook={webhook} />,
          },
          {
            name: "settings",
            text: t("common.settings"),
            content: <SettingsPanel webhook={webhook} />,
            keepMounted: true,
          },
        ]}
      />
    </Page>
  );
}

function SettingsPanel({ webhook }: { webhook: Webhook }) {
  const t = useText();
  return (
    <Panel
      title={t("common.settings")}
      hint={
        <>
          {t("webhooks.savedBy")} <Actor {...webhook.saved_by} />. {t("webhooks.savedByHint")}
        </>
      }
    >
      <EditForm<Webhook>
        resource="webhooks"
        record={webhook}
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
