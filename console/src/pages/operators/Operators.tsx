import { Alert, Box, Stack } from "@mui/material";
import { BooleanInput } from "react-admin";
import { request } from "../../api/client";
import { DeleteButton } from "../../components/DeleteDialog";
import { EditForm } from "../../components/form/EditForm";
import { RouteButton } from "../../components/links";
import { ListPage, UnsortedColumn } from "../../components/list/ListPage";
import { recordPage } from "../../components/recordPage";
import { Columns, Page, Panel } from "../../components/Page";
import { type Permission, useShowPermissions } from "../../components/permissions/permissions";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { Muted, State, When } from "../../components/text";
import { useText } from "../../i18n";
import { grants, sessionStore, useCan, useSession } from "../../session/session";
import { OperatorSessions } from "../account/SessionsPanel";
import {
  AccessState,
  type Operator,
  PermissionCount,
  SignInPanel,
  TwoFactorState,
} from "./operator";
import { OpenInvitations } from "./Invitations";
import { operatorPresets } from "./presets";

export { OperatorCreate } from "./OperatorCreate";

const Column = UnsortedColumn<Operator>;

export function OperatorList() {
  const t = useText();
  const me = useSession()?.operator?.user_id;
  const name = ({ id, username }: Operator) => (
    <Box component="span" sx={{ display: "inline-flex", alignItems: "center", gap: 1 }}>
      {username}
      {id === me && <State tone="accent" text={t("operators.you")} />}
    </Box>
  );
  return (
    <ListPage<Operator>
      resource="operators"
      subtitle={t("operators.subtitle")}
      summary={<OpenInvitations />}
      card={(operator) => ({
        title: name(operator),
        detail: (
          <>
            {operator.email}
            <Box>
              <PermissionCount permissions={operator.permissions} />
            </Box>
          </>
        ),
        aside: <AccessState active={operator.active} />,
      })}
    >
      <Column
        source="username"
        label={t("operators.person")}
        render={(operator) => (
          <>
            <Box sx={{ fontWeight: 550 }}>{name(operator)}</Box>
            <Muted>{operator.email}</Muted>
          </>
        )}
      />
      <Column
        source="active"
        label={t("operators.access")}
        render={({ active }) => <AccessState active={active} />}
      />
      <Column
        source="permissions"
        label={t("permissions.title")}
        render={({ permissions }) => <PermissionCount permissions={permissions} />}
      />
      <Column
        source="two_factor"
        label={t("common.secondFactor")}
        render={({ two_factor }) => <TwoFactorState isOn={two_factor} />}
      />
      <Column
        source="last_sign_in_at"
        label={t("operators.lastSignIn")}
        render={({ last_sign_in_at }) => <When at={last_sign_in_at} />}
      />
    </ListPage>
  );
}

export const OperatorPage = recordPage("operators", Content);

function Content({ record: operator }: { record: Operator }) {
  const t = useText();
  const show = useShowPermissions();
  const session = useSession();
  const isSelf = session?.operator?.user_id === operator.id;
  const isBeyond = !operator.permissions.every(({ name }) => grants(session, name));
  const mayWrite = useCan("admin.api-keys");
  const mayChange = mayWrite && !isBeyond;
  const maySeeUsers = useCan("admin.users.read");
  const maySeeLog = useCan("admin.audit.read");

  return (
    <Page
      title={operator.username}
      badge={<AccessState active={operator.active} />}
      subtitle={operator.email}
      back="operators"
      actions={
        <>
          {maySeeUsers && (
            <RouteButton to={`/users/${operator.id}`}>{t("operators.user")}</RouteButton>
          )}
          {maySeeLog && (
            <RouteButton to={`/audit-log?user_id=${operator.id}`}>
              {t("audit.ofOperator")}
            </RouteButton>
          )}
          {mayChange && <RemoveOperator operator={operator} isSelf={isSelf} />}
        </>
      }
    >
      {mayWrite && isBeyond && (
        <Alert severity="info" sx={{ mb: 2.5 }}>
          {t("operators.beyond")}
        </Alert>
      )}
      {mayChange && isSelf && (
        <Alert severity="warning" sx={{ mb: 2.5 }}>
          {t("operators.self")}
        </Alert>
      )}
      <Columns widths="minmax(0, 1fr) 360px">
        <Panel title={t("operators.access")} hint={t("permissions.hint")}>
          <EditForm<Operator>
            resource="operators"
            record={operator}
            fields={{ active: t("common.active"), permissions: t("permissions.title") }}
            readOnly={!mayChange}
            show={show}
            save={(changes, ifMatch) => put(operator.id, changes, ifMatch)}
            onSaved={() => {
              if (isSelf) {
                void sessionStore.refresh();
              }
            }}
          >
            <BooleanInput
              source="active"
              label={t("common.active")}
              helperText={t("operators.activeHint")}
              disabled={!mayChange || isSelf}
            />
            <PermissionsInput limited disabled={!mayChange} presets={operatorPresets(t)} />
          </EditForm>
        </Panel>
        <Stack sx={{ gap: 2.5 }}>
          <SignInPanel operator={operator} mayReset={mayChange} />
          {!isBeyond && (
            <OperatorSessions
              userId={operator.id}
              name={operator.username}
              mayEnd={mayChange && !isSelf}
            />
          )}
        </Stack>
      </Columns>
    </Page>
  );
}

function put(id: number, changes: Record<string, unknown>, ifMatch: string | undefined) {
  const { permissions, ...rest } = changes;
  const body = {
    ...rest,
    ...(permissions !== undefined && {
      permission_ids: (permissions as Permission[]).map((permission) => permission.id),
    }),
  };
  return request("PUT", `/api/operators/${id}`, { body, ifMatch });
}

/** Takes the access to the console away. The user stays. */
function RemoveOperator({ operator, isSelf }: { operator: Operator; isSelf: boolean }) {
  const t = useText();
  const { username, permissions } = operator;
  return (
    <DeleteButton
      resource="operators"
      record={operator}
      name={username}
      text={t("operators.remove")}
      title={t("operators.removeTitle", { name: username })}
      confirm={t("operators.remove")}
      endsSession={isSelf}
      {...(isSelf && { typed: username })}
    >
      <p>{t("operators.removeText", { smart_count: permissions.length })}</p>
      {isSelf && <p>{t("operators.removeSelf")}</p>}
    </DeleteButton>
  );
}
