import Add from "@mui/icons-material/Add";
import BadgeOutlined from "@mui/icons-material/BadgeOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { DataTable } from "react-admin";
import { Link } from "react-router";
import type { Schemas } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { ColourDot } from "./ColourDot";
import { useRoleColours } from "./useRoleColours";

type Role = Schemas["RoleItem"];
const Column = DataTable.Col<Role>;

export function RoleList() {
  const t = useText();
  const mayWrite = useCan("admin.roles");
  const colours = useRoleColours();
  const create = mayWrite ? (
    <Button component={Link} to="/roles/create" variant="contained" startIcon={<Add />}>
      {t("roles.new")}
    </Button>
  ) : undefined;
  const name = ({ id, name }: Role) => (
    <Box component="span" sx={{ display: "inline-flex", alignItems: "center", fontWeight: 550 }}>
      <ColourDot colour={colours.get(id)} />
      {name}
    </Box>
  );
  return (
    <ListPage<Role>
      resource="roles"
      title={t("roles.title")}
      subtitle={t("roles.subtitle")}
      actions={create}
      empty={
        <EmptyState
          icon={BadgeOutlined}
          title={t("roles.empty.title")}
          text={t("roles.empty.text")}
          action={create}
        />
      }
      card={(role) => ({ title: name(role), detail: role.description })}
    >
      <Column source="name" label={t("common.name")} disableSort render={name} />
      <Column source="description" label={t("roles.description")} disableSort />
    </ListPage>
  );
}
