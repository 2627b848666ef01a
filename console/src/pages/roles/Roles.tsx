import { Box, Stack } from "@mui/material";
import { TextInput } from "react-admin";
import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteDialog";
import { CreatePage } from "../../components/form/CreateForm";
import { EditForm } from "../../components/form/EditForm";
import { ListPage, UnsortedColumn } from "../../components/list/ListPage";
import { Columns, Page, Panel } from "../../components/Page";
import { PermissionsPanel } from "../../components/permissions/PermissionsPanel";
import { recordPage } from "../../components/recordPage";
import { ColourDot } from "../../components/RoleChip";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { MembersPanel, useMembers } from "./Members";
import { ColourInput } from "./RoleColour";

type RoleItem = Schemas["ListedRole"];
const Column = UnsortedColumn<RoleItem>;

export function RoleList() {
  const t = useText();
  const format = useFormat();
  const name = ({ name, color }: RoleItem) => (
    <Box
      component="span"
      sx={{ display: "inline-flex", alignItems: "center", gap: 1.25, fontWeight: 550 }}
    >
      <ColourDot colour={color} />
      {name}
    </Box>
  );
  return (
    <ListPage<RoleItem>
      resource="roles"
      subtitle={t("roles.subtitle")}
      card={(role) => ({
        title: name(role),
        detail: role.description,
        aside: t("roles.holders", { smart_count: role.members ?? 0 }),
      })}
    >
      <Column source="name" label={t("common.name")} render={name} />
      <Column source="description" label={t("roles.description")} />
      <Column
        source="members"
        label={t("roles.members")}
        align="right"
        render={({ members }) => format.number(members ?? 0)}
      />
    </ListPage>
  );
}

/** A new role. Its page opens next: there it gets its permissions. */
export function RoleCreate() {
  return (
    <CreatePage
      resource="roles"
      fields={["name", "description", "color"]}
      toBody={({ name, ...rest }) => ({ name: name ?? "", ...rest })}
    >
      <RoleFields isNew />
    </CreatePage>
  );
}

function RoleFields({ isNew }: { isNew?: boolean }) {
  const t = useText();
  return (
    <>
      <TextInput
        source="name"
        label={t("common.name")}
        required
        autoFocus={isNew === true}
        helperText={false}
      />
      <TextInput
        source="description"
        label={t("roles.description")}
        multiline
        minRows={2}
        helperText={false}
      />
      <ColourInput />
    </>
  );
}

type Role = Schemas["ShownRole"] & { [ETAG]?: string };

export const RolePage = recordPage("roles", Content);

function Content({ record: role }: { record: Role }) {
  const t = useText();
  const mayWrite = useCan("admin.roles");
  const maySeeUsers = useCan("admin.users.read");
  return (
    <Page
      title={role.name}
      badge={<ColourDot colour={role.color} />}
      back="roles"
      actions={mayWrite && <DeleteRole role={role} />}
    >
      <Columns widths="minmax(0, 3fr) minmax(0, 2fr)">
        <PermissionsPanel
          resource="roles"
          record={role}
          hint={t("roles.permissionsHint")}
          disabled={!mayWrite}
        />
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
            >
              <RoleFields />
            </EditForm>
          </Panel>
          {maySeeUsers && <MembersPanel roleId={role.id} />}
        </Stack>
      </Columns>
    </Page>
  );
}

interface Props {
  role: { id: number; name: string; [ETAG]?: string };
}

function DeleteRole({ role }: Props) {
  const t = useText();
  const { data: members } = useMembers(role.id);
  return (
    <DeleteButton resource="roles" record={role} name={role.name} text={t("roles.delete")}>
      {members !== undefined && members.total > 0 && (
        <p>{t("roles.losesMembers", { smart_count: members.total })}</p>
      )}
      <p>{t("roles.losesPermissions")}</p>
      <p>{t("roles.losesNavigation")}</p>
      <p>{t("common.cannotUndo")}</p>
    </DeleteButton>
  );
}
