import { Box, Stack } from "@mui/material";
import type { ReactNode } from "react";
import { PasswordInput, TextInput } from "react-admin";
import type { Values } from "../../components/form/conflict";
import { CreatePage } from "../../components/form/CreateForm";
import { RolesInput } from "../../components/form/RolesInput";
import { recordPage } from "../../components/recordPage";
import { Columns, Page } from "../../components/Page";
import { When } from "../../components/text";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BannedChip } from "../bans/BannedChip";
import { UserBansPanel } from "../bans/UserBansPanel";
import { ActivityPanel } from "./ActivityPanel";
import { BlockButton, BlocksPanel } from "./Blocks";
import { DevicesPanel, IdentitiesPanel, LinksPanel } from "./ConnectionPanels";
import { EndPanel } from "./EndPanel";
import { GrantsPanel } from "./GrantsPanel";
import { InvoicesPanel } from "./HistoryPanels";
import { OperatorPanel, ProfilePanel } from "./ProfilePanels";
import { RoleHistoryPanel } from "./RoleHistory";
import { RolesPanel } from "./UserRoles";
import { type Role, type User, UserState } from "./user";
import { EmailInput } from "./UserInputs";

export { BlockedList, UserList } from "./UserLists";

/** The request that creates a user. What was not typed is refused by the service, field by field. */
function newUser({ username, email, password, roles }: Values): Values {
  const role_ids = ((roles ?? []) as Role[]).map(({ id }) => id);
  return { username: username ?? "", email: email ?? "", password: password ?? "", role_ids };
}

export function UserCreate() {
  const t = useText();
  return (
    <CreatePage
      resource="users"
      fields={["username", "email", "password", "roles"]}
      toBody={newUser}
    >
      <TextInput
        source="username"
        label={t("users.fields.username")}
        autoFocus
        helperText={false}
      />
      <EmailInput />
      <PasswordInput
        source="password"
        label={t("common.password")}
        helperText={t("users.password.hint")}
        slotProps={{ htmlInput: { autoComplete: "new-password" } }}
      />
      <RolesInput />
    </CreatePage>
  );
}

/** On narrow screens the panels of both columns are one list. */
const COLUMN = { gap: 2, display: { xs: "contents", lg: "flex" } };

/** What most people look for is first on narrow screens. */
function First({ children }: { children: ReactNode }) {
  return <Box sx={{ order: { xs: -1, lg: 0 } }}>{children}</Box>;
}

export const UserPage = recordPage("users", One);

function One({ record: user }: { record: User }) {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const maySeeBans = useCan("admin.bans.read");
  const maySeeMoney = useCan("admin.payments.read");
  const maySeeGrants = useCan("admin.products.read");
  const maySeeAccess = useCan("admin.api-keys.read");
  const maySeeAudit = useCan("admin.audit.read");
  return (
    <Page
      title={user.username}
      badge={
        <>
          <UserState status={user.status} />
          {maySeeBans && <BannedChip userId={user.id} />}
        </>
      }
      subtitle={
        <>
          #{user.id} · {t("users.joined")} <When at={user.created_at} /> · {t("users.changed")}{" "}
          <When at={user.updated_at} />
        </>
      }
      back="users"
      actions={mayWrite && <BlockButton user={user} />}
    >
      <Columns widths="minmax(0, 3fr) minmax(0, 2fr)" gap={2}>
        <Stack sx={COLUMN}>
          <ProfilePanel user={user} />
          <RolesPanel user={user} />
          <LinksPanel user={user} />
          <IdentitiesPanel user={user} />
          <DevicesPanel user={user} />
        </Stack>
        <Stack sx={COLUMN}>
          <First>
            <BlocksPanel user={user} />
          </First>
          {maySeeBans && (
            <First>
              <UserBansPanel user={user} />
            </First>
          )}
          {maySeeMoney && (
            <First>
              <InvoicesPanel user={user} />
            </First>
          )}
          {maySeeGrants && <GrantsPanel user={user} />}
          <RoleHistoryPanel user={user} />
          {maySeeAudit && (
            <ActivityPanel resource="users" id={user.id} empty={t("users.activity.none")} />
          )}
          {maySeeAccess && <OperatorPanel user={user} />}
          {mayWrite && <EndPanel user={user} />}
        </Stack>
      </Columns>
    </Page>
  );
}
