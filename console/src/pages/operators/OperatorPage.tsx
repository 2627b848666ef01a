import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { BooleanInput } from "react-admin";
import { Link } from "react-router";
import { request } from "../../api/client";
import { EditForm } from "../../components/form/EditForm";
import { OneRecord } from "../../components/OneRecord";
import { Page } from "../../components/Page";
import { Panel } from "../../components/Panel";
import type { Permission } from "../../components/permissions/areas";
import { PermissionsInput } from "../../components/permissions/PermissionsInput";
import { useShowPermissions } from "../../components/permissions/useShowPermissions";
import { useText } from "../../i18n";
import { grants, sessionStore, useCan, useSession } from "../../session/session";
import type { Operator } from "./operator";
import { AccessState } from "./OperatorState";
import { RemoveOperator } from "./RemoveOperator";
import { SignInPanel } from "./SignInPanel";

export function OperatorPage() {
  return (
    <OneRecord<Operator> resource="operators">
      {(operator) => <Content operator={operator} />}
    </OneRecord>
  );
}

function Content({ operator }: { operator: Operator }) {
  const t = useText();
  const show = useShowPermissions();
  const session = useSession();
  const isSelf = session?.operator?.user_id === operator.id;
  const isBeyond = !operator.permissions.every(({ name }) => grants(session, name));
  const mayWrite = useCan("admin.api-keys");
  const mayChange = mayWrite && !isBeyond;
  const maySeeUsers = useCan("admin.users.read");

  return (
    <Page
      title={operator.username}
      badge={<AccessState active={operator.active} />}
      subtitle={operator.email}
      back={{ to: "/operators", text: t("operators.title") }}
      actions={
        <>
          {maySeeUsers && (
            <Button component={Link} to={`/users/${operator.id}`}>
              {t("operators.user")}
            </Button>
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
      <Box
        sx={{
          display: "grid",
          gap: 2.5,
          alignItems: "start",
          gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 1fr) 360px" },
        }}
      >
        <Panel title={t("operators.access")} hint={t("operators.permissionsHint")}>
          <EditForm<Operator>
            resource="operators"
            record={operator}
            fields={{ active: t("operators.active"), permissions: t("permissions.title") }}
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
              label={t("operators.active")}
              helperText={t("operators.activeHint")}
              disabled={!mayChange || isSelf}
            />
            <PermissionsInput limited disabled={!mayChange} />
          </EditForm>
        </Panel>
        <SignInPanel operator={operator} mayReset={mayChange} />
      </Box>
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
