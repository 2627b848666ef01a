import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Stack from "@mui/material/Stack";
import { BooleanInput, TextInput } from "react-admin";
import { request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { EditForm } from "../../components/form/EditForm";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import type { Permission } from "../../components/permissions/areas";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { useShowPermissions } from "../../components/permissions/useShowPermissions";
import { useText } from "../../i18n";
import { grants, sessionStore, useCan, useSession } from "../../session/session";
import { stateOf } from "./attention";
import { DeleteKey } from "./DeleteKey";
import { KeyStateChip } from "./KeyStateChip";
import { NewValuePanel } from "./NewValuePanel";
import { presetsOf } from "./presets";
import { RestrictionsPanel } from "./RestrictionsPanel";
import { UsePanel } from "./UsePanel";
import { useRestrictions } from "./useRestrictions";

export type Key = Schemas["ApiKeyDetail"] & { [ETAG]?: string };

export function ApiKeyPage() {
  return <OneRecord<Key> resource="api-keys">{(key) => <Content apiKey={key} />}</OneRecord>;
}

function Content({ apiKey }: { apiKey: Key }) {
  const t = useText();
  const show = useShowPermissions();
  const session = useSession();
  const { data: restrictions } = useRestrictions(apiKey.id);
  const mayWrite = useCan("admin.api-keys");
  const isOwn = session?.key?.id === apiKey.id;
  const isBeyond = !apiKey.permissions.every(({ name }) => grants(session, name));
  const mayChange = mayWrite && !isBeyond;
  const state = stateOf(apiKey, restrictions);

  return (
    <Page
      title={apiKey.name}
      badge={<KeyStateChip state={state} />}
      back={{ to: "/api-keys", text: t("apiKeys.title") }}
      actions={
        mayChange ? (
          <DeleteKey
            apiKey={apiKey}
            isOwn={isOwn}
            lastUsedAt={restrictions?.last_used_at ?? null}
          />
        ) : undefined
      }
    >
      <Stack sx={{ gap: 1.5, mb: 2.5, "&:empty": { display: "none" } }}>
        {mayWrite && isBeyond && <Alert severity="info">{t("apiKeys.beyond")}</Alert>}
        {isOwn && <Alert severity="warning">{t("apiKeys.ownKey")}</Alert>}
        {state === "unused" && <Alert severity="warning">{t("apiKeys.unusedHint")}</Alert>}
      </Stack>
      <Box
        sx={{
          display: "grid",
          gap: 2.5,
          alignItems: "start",
          gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 3fr) minmax(0, 2fr)" },
        }}
      >
        <Panel title={t("permissions.title")} hint={t("apiKeys.permissionsHint")}>
          <EditForm<Key>
            resource="api-keys"
            record={apiKey}
            fields={{ permissions: t("permissions.title") }}
            readOnly={!mayChange}
            show={show}
            save={({ permissions }, ifMatch) =>
              request("PUT", `/api/api-keys/${apiKey.id}/permissions`, {
                body: { permission_ids: (permissions as Permission[]).map(({ id }) => id) },
                ifMatch,
              })
            }
            onSaved={() => {
              if (isOwn) {
                void sessionStore.refresh();
              }
            }}
          >
            <PermissionsInput limited disabled={!mayChange} presets={presetsOf(t)} />
          </EditForm>
        </Panel>
        <Stack sx={{ gap: 2.5 }}>
          <UsePanel apiKey={apiKey} restrictions={restrictions} />
          <Panel title={t("apiKeys.settings")}>
            <EditForm<Key>
              resource="api-keys"
              record={apiKey}
              fields={{ name: t("common.name"), active: t("apiKeys.active") }}
              readOnly={!mayChange}
              show={show}
            >
              <TextInput source="name" label={t("common.name")} required helperText={false} />
              <BooleanInput
                source="active"
                label={t("apiKeys.active")}
                helperText={t("apiKeys.activeHint")}
                disabled={!mayChange}
              />
            </EditForm>
          </Panel>
          <RestrictionsPanel restrictions={restrictions} mayChange={mayChange} />
          {mayChange && (
            <NewValuePanel
              apiKey={apiKey}
              previousUntil={restrictions?.previous_key_valid_until ?? null}
            />
          )}
        </Stack>
      </Box>
    </Page>
  );
}
