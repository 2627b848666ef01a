import { Alert, Box, Stack } from "@mui/material";
import { useState } from "react";
import { BooleanInput, TextInput } from "react-admin";
import type { Schemas } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { DeleteButton } from "../../components/DeleteDialog";
import { CreateForm } from "../../components/form/CreateForm";
import { EditForm } from "../../components/form/EditForm";
import { ListPage, UnsortedColumn } from "../../components/list/ListPage";
import { recordPage } from "../../components/recordPage";
import { Columns, Page, Panel } from "../../components/Page";
import { useShowPermissions } from "../../components/permissions/permissions";
import { PermissionsInput, type Preset } from "../../components/permissions/PermissionsInput";
import { PermissionsPanel } from "../../components/permissions/PermissionsPanel";
import { Code, Muted, When } from "../../components/text";
import { type Translate, useFormat, useText } from "../../i18n";
import { grants, sessionStore, useCan, useSession } from "../../session/session";
import { type ApiKey, stateOf } from "./attention";
import { CreatedKey, useCreation } from "./CreatedKey";
import {
  ExpiryCell,
  KeyStateChip,
  LastUsedCell,
  NetworksCell,
  StateCell,
  UsePanel,
} from "./KeyState";
import { NewValuePanel } from "./NewValuePanel";
import { RestrictionInputs, RestrictionsPanel, useRestrictions } from "./Restrictions";

type KeyItem = Schemas["ApiKeyItem"];
const Column = UnsortedColumn<KeyItem>;

export function ApiKeyList() {
  const t = useText();
  return (
    <ListPage<KeyItem>
      resource="api-keys"
      subtitle={t("apiKeys.subtitle")}
      card={(key) => ({
        title: key.name,
        detail: (
          <>
            {t("common.lastUsed")}: <LastUsedCell id={key.id} />
          </>
        ),
        aside: <StateCell apiKey={key} />,
      })}
    >
      <Column
        source="name"
        label={t("apiKeys.key")}
        render={({ name, key }) => (
          <>
            <Box sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>{name}</Box>
            <Muted>
              <Code>{key}</Code>
            </Muted>
          </>
        )}
      />
      <Column
        source="active"
        label={t("common.state")}
        render={(key) => <StateCell apiKey={key} />}
      />
      <Column label={t("common.lastUsed")} render={({ id }) => <LastUsedCell id={id} />} />
      <Column label={t("apiKeys.expires")} render={({ id }) => <ExpiryCell id={id} />} />
      <Column label={t("apiKeys.networks")} render={({ id }) => <NetworksCell id={id} />} />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        render={({ created_at }) => <When at={created_at} />}
      />
    </ListPage>
  );
}

/** A new key. Its value is shown on the next screen, and never again. */
export function ApiKeyCreate() {
  const t = useText();
  const { creation, create, resume } = useCreation();
  /** Answers the question whether a key without permissions is wanted. */
  const [answer, setAnswer] = useState<((isWanted: boolean) => void) | null>(null);
  if (creation !== null) {
    return <CreatedKey creation={creation} onRepeat={() => void resume()} />;
  }
  return (
    <Page title={t("lists.create.api-keys")} back="api-keys" narrow>
      <CreateForm
        fields={["name"]}
        defaults={{ permissions: [] }}
        submit={t("apiKeys.create.submit")}
        create={async (values) => {
          const isUseless = ((values["permissions"] ?? []) as unknown[]).length === 0;
          if (isUseless && !(await new Promise<boolean>((resolve) => setAnswer(() => resolve)))) {
            throw new Error(t("apiKeys.create.choosePermissions"));
          }
          await create(values);
          return undefined;
        }}
      >
        <Panel>
          <TextInput
            source="name"
            label={t("common.name")}
            helperText={t("apiKeys.create.nameHint")}
            required
            autoFocus
            fullWidth
          />
        </Panel>
        <Panel title={t("permissions.title")}>
          <PermissionsInput limited presets={presetsOf(t)} />
        </Panel>
        <Panel title={t("apiKeys.create.restrictions")} hint={t("apiKeys.create.restrictionsHint")}>
          <Stack sx={{ gap: 2 }}>
            <RestrictionInputs />
          </Stack>
        </Panel>
      </CreateForm>
      {answer !== null && (
        <ConfirmDialog
          title={t("apiKeys.create.uselessTitle")}
          confirm={t("apiKeys.create.uselessConfirm")}
          onConfirm={() => Promise.resolve(answer(true))}
          onClose={() => {
            answer(false);
            setAnswer(null);
          }}
        >
          {t("apiKeys.create.useless")}
        </ConfirmDialog>
      )}
    </Page>
  );
}

export const ApiKeyPage = recordPage("api-keys", Content);

function Content({ record: apiKey }: { record: ApiKey }) {
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
      back="api-keys"
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
      <Columns widths="minmax(0, 3fr) minmax(0, 2fr)">
        <PermissionsPanel
          resource="api-keys"
          record={apiKey}
          hint={t("permissions.hint")}
          limited
          disabled={!mayChange}
          presets={presetsOf(t)}
          onSaved={() => {
            if (isOwn) {
              void sessionStore.refresh();
            }
          }}
        />
        <Stack sx={{ gap: 2.5 }}>
          <UsePanel apiKey={apiKey} restrictions={restrictions} />
          <Panel title={t("apiKeys.settings")}>
            <EditForm<ApiKey>
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
      </Columns>
    </Page>
  );
}

interface Props {
  apiKey: ApiKey;
  /** Whether the person is signed in with it. */
  isOwn: boolean;
  lastUsedAt: string | null;
}

function DeleteKey({ apiKey, isOwn, lastUsedAt }: Props) {
  const t = useText();
  const format = useFormat();
  return (
    <DeleteButton
      resource="api-keys"
      record={apiKey}
      name={apiKey.name}
      text={t("apiKeys.delete")}
      typed={apiKey.name}
      endsSession={isOwn}
    >
      <p>{t("apiKeys.deleteText")}</p>
      {lastUsedAt !== null && (
        <p>{t("apiKeys.deleteUsed", { when: format.relative(lastUsedAt) })}</p>
      )}
      {isOwn && <p>{t("apiKeys.deleteOwn")}</p>}
      <p>{t("common.cannotUndo")}</p>
    </DeleteButton>
  );
}

/** What common programs need, and nothing else. */
function presetsOf(t: Translate): Preset[] {
  return [
    {
      text: t("apiKeys.presets.payments"),
      names: ["admin.payments", "admin.currencies.read", "admin.users.read"],
    },
    {
      // What docs/bans.md says for the plugin in examples/counterstrikesharp.
      text: t("apiKeys.presets.gamePlugin"),
      names: ["admin.bans.read", "admin.bans", "admin.deliveries"],
    },
    {
      text: t("apiKeys.presets.gameServer"),
      names: [
        "admin.servers.read",
        "admin.servers.rcon",
        "admin.users.read",
        "admin.roles.read",
        "admin.sessions",
      ],
    },
  ];
}
