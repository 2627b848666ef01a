import Add from "@mui/icons-material/Add";
import SupervisorAccountOutlined from "@mui/icons-material/SupervisorAccountOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { DataTable } from "react-admin";
import { Link } from "react-router";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { PermissionCount } from "../../components/permissions/PermissionCount";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan, useSession } from "../../session/session";
import type { Operator } from "./operator";
import { AccessState, TwoFactorState } from "./OperatorState";

const Column = DataTable.Col<Operator>;

export function OperatorList() {
  const t = useText();
  const mayWrite = useCan("admin.api-keys");
  const me = useSession()?.operator?.user_id;
  const create = mayWrite ? (
    <Button component={Link} to="/operators/create" variant="contained" startIcon={<Add />}>
      {t("operators.new")}
    </Button>
  ) : undefined;
  const name = ({ id, username }: Operator) => (
    <Box component="span" sx={{ display: "inline-flex", alignItems: "center", gap: 1 }}>
      {username}
      {id === me && <State tone="accent" text={t("operators.you")} />}
    </Box>
  );
  return (
    <ListPage<Operator>
      resource="operators"
      title={t("operators.title")}
      subtitle={t("operators.subtitle")}
      actions={create}
      empty={
        <EmptyState
          icon={SupervisorAccountOutlined}
          title={t("operators.empty.title")}
          text={t("operators.empty.text")}
          action={create}
        />
      }
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
        disableSort
        render={(operator) => (
          <>
            <Box sx={{ fontWeight: 550 }}>{name(operator)}</Box>
            <Typography variant="body2" color="textSecondary">
              {operator.email}
            </Typography>
          </>
        )}
      />
      <Column
        source="active"
        label={t("operators.access")}
        disableSort
        render={({ active }) => <AccessState active={active} />}
      />
      <Column
        source="permissions"
        label={t("permissions.title")}
        disableSort
        render={({ permissions }) => <PermissionCount permissions={permissions} />}
      />
      <Column
        source="two_factor"
        label={t("operators.twoFactor")}
        disableSort
        render={({ two_factor }) => <TwoFactorState isOn={two_factor} />}
      />
      <Column
        source="last_sign_in_at"
        label={t("operators.lastSignIn")}
        disableSort
        render={({ last_sign_in_at }) => <When at={last_sign_in_at} />}
      />
    </ListPage>
  );
}
