import AddOutlined from "@mui/icons-material/AddOutlined";
import WebhookOutlined from "@mui/icons-material/WebhookOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { DataTable } from "react-admin";
import { Link } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { RecordSwitch } from "../../components/RecordSwitch";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { EventSummary } from "./EventSummary";
import { CountCell, StateCell } from "./HealthCells";
import type { Webhook } from "./types";

const Column = DataTable.Col<Webhook>;

export function WebhookList() {
  const t = useText();
  const canWrite = useCan("admin.webhooks");
  const add = canWrite && (
    <Button component={Link} to="/webhooks/create" variant="contained" startIcon={<AddOutlined />}>
      {t("webhooks.add")}
    </Button>
  );
  return (
    <ListPage<Webhook>
      resource="webhooks"
      title={t("webhooks.title")}
      subtitle={t("webhooks.hint")}
      actions={add}
      empty={
        <EmptyState
          icon={WebhookOutlined}
          title={t("webhooks.empty.title")}
          text={t("webhooks.empty.text")}
          action={add}
        />
      }
      card={(webhook) => ({
        title: webhook.name,
        detail: webhook.url,
        aside: <StateCell webhook={webhook} />,
      })}
    >
      <Column
        source="name"
        label={t("common.name")}
        disableSort
        render={({ name, url }) => (
          <Box sx={{ maxWidth: 420 }}>
            <Box sx={{ fontWeight: 600 }}>{name}</Box>
            <Box sx={{ color: "text.secondary", fontSize: 13, overflowWrap: "anywhere" }}>
              {url}
            </Box>
          </Box>
        )}
      />
      <Column
        source="format"
        label={t("webhooks.fields.format")}
        disableSort
        render={({ format }) => t(`webhooks.format.${format}`)}
      />
      <Column
        source="events"
        label={t("webhooks.fields.events")}
        disableSort
        render={({ events }) => <EventSummary events={events} />}
      />
      <Column
        label={t("webhooks.fields.state")}
        render={(webhook) => <StateCell webhook={webhook} />}
      />
      <Column
        label={t("webhooks.fields.waiting")}
        render={({ id }) => <CountCell id={id} of="waiting" />}
      />
      <Column
        label={t("webhooks.fields.failed")}
        render={({ id }) => <CountCell id={id} of="failed" />}
      />
      <Column
        source="active"
        label={t("webhooks.fields.active")}
        disableSort
        render={({ id, name, active }) => (
          <RecordSwitch
            resource="webhooks"
            id={id}
            field="active"
            value={active}
            label={t("webhooks.activate", { name })}
            readOnly={!canWrite}
          />
        )}
      />
    </ListPage>
  );
}
