import FormControlLabel from "@mui/material/FormControlLabel";
import { ETAG } from "../../api/dataProvider";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { RecordSwitch } from "../../components/RecordSwitch";
import { UrlTabs } from "../../components/UrlTabs";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { DeliveriesPanel } from "./DeliveriesPanel";
import { StateCell } from "./HealthCells";
import { SettingsPanel } from "./SettingsPanel";
import { TestButton } from "./TestButton";
import type { Webhook } from "./types";
import { WebhookMenu } from "./WebhookMenu";

export function WebhookPage() {
  return (
    <OneRecord<Webhook> resource="webhooks">{(webhook) => <Content webhook={webhook} />}</OneRecord>
  );
}

function Content({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const canWrite = useCan("admin.webhooks");
  const { id, name, url, active } = webhook;
  return (
    <Page
      title={name}
      badge={<StateCell webhook={webhook} />}
      subtitle={url}
      back={{ to: "/webhooks", text: t("webhooks.title") }}
      actions={
        <>
          <FormControlLabel
            label={t("webhooks.fields.active")}
            slotProps={{ typography: { variant: "body2" } }}
            control={
              <RecordSwitch
                resource="webhooks"
                id={id}
                field="active"
                value={active}
                label={t("webhooks.activate", { name })}
                ifMatch={webhook[ETAG] as string | undefined}
                readOnly={!canWrite}
              />
            }
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
            text: t("webhooks.tabs.settings"),
            content: <SettingsPanel webhook={webhook} />,
            keepMounted: true,
          },
        ]}
      />
    </Page>
  );
}
