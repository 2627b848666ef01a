import Box from "@mui/material/Box";
import Stack from "@mui/material/Stack";
import { TextInput } from "react-admin";
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
import { useCan } from "../../session/session";
import { ColourInput } from "./ColourInput";
import { DeleteRole } from "./DeleteRole";
import { MembersPanel } from "./MembersPanel";
import { useRoleColours } from "./useRoleColours";

/** A role as it is edited. Its colour is only written: reading a role does not show it. */
type Role = Schemas["RoleDetail"] & { color?: string; [ETAG]?: string };

export function RolePage() {
  return <OneRecord<Role> resource="roles">{(role) => <Content role={role} />}</OneRecord>;
}

function Content({ role }: { role: Role }) {
  const t = useText();
  const show = useShowPermissions();
  const mayWrite = useCan("admin.roles");
  const maySeeUsers = useCan("admin.users.read");
  const colour = useRoleColours(role.id).get(role.id);
  return (
    <Page
      title={role.name}
      back={{ to: "/roles", text: t("roles.title") }}
      actions={mayWrite && <DeleteRole role={role} />}
    >
      <Box
        sx={{
          display: "grid",
          gap: 2.5,
          alignItems: "start",
          gridTemplateColumns: { xs: "minmax(0, 1fr)", lg: "minmax(0, 3fr) minmax(0, 2fr)" },
        }}
      >
        <Panel title={t("permissions.title")} hint={t("roles.permissionsHint")}>
          <EditForm<Role>
            resource="roles"
            record={role}
            fields={{ permissions: t("permissions.title") }}
            readOnly={!mayWrite}
            show={show}
            save={({ permissions }, ifMatch) =>
              request("PUT", `/api/roles/${role.id}/permissions`, {
                body: { permission_ids: (permissions as Permission[]).map(({ id }) => id) },
                ifMatch,
              })
            }
          >
            <PermissionsInput disabled={!mayWrite} />
          </EditForm>
        </Panel>
        <Stack sx={{ gap: 2.5 }}>
          <Panel title={t("roles.profile")}>
            <EditForm<Role>
              resource="roles"
              record={role}
              fields={{
                name: t("common.name"),
                description: t("roles.description"),
                color: t("roles.colour"),
              }}
              readOnly={!mayWrite}
            >
              <TextInput source="name" label={t("common.name")} required helperText={false} />
              <TextInput
                source="description"
                label={t("roles.description")}
                multiline
                minRows={2}
                helperText={false}
              />
              <ColourInput current={colour} />
            </EditForm>
          </Panel>
          {maySeeUsers && <MembersPanel roleId={role.id} />}
        </Stack>
      </Box>
    </Page>
  );
}
