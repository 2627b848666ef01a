import PersonAddOutlined from "@mui/icons-material/PersonAddOutlined";
import { Alert } from "@mui/material";
import type { ComponentProps } from "react";
import { SelectInput, TextInput, useListContext } from "react-admin";
import { lackingCharacters, searchOf } from "../../api/lists";
import { ExportButton } from "../../components/ExportButton";
import { ListPage, RecordLink, UnsortedColumn } from "../../components/list/ListPage";
import { When } from "../../components/text";
import { useRoles } from "../../components/useRoles";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BlockAuthor } from "./Blocks";
import { UserBulk } from "./BulkActions";
import { BlockEnd, EmailCell, RolesCell, SteamCell } from "./UserCells";
import { STATUSES, type UserItem, UserState } from "./user";
import { StatusInput } from "./UserInputs";

const Column = UnsortedColumn<UserItem>;

export function UserList() {
  const t = useText();
  const mayWrite = useCan("admin.users");
  return (
    <ListPage<UserItem>
      resource="users"
      subtitle={t("users.subtitle")}
      sort={{ field: "id", order: "DESC" }}
      actions={<UserExport />}
      createIcon={PersonAddOutlined}
      filters={<UserFilters />}
      summary={<SearchNote />}
      hiddenColumns={["id", "block.until", "block.reason", "block.by"]}
      card={({ id, username, email, status, roles = [] }) => ({
        title: username,
        detail: (
          <>
            {email} · #{id}
            <RolesCell roles={roles} />
          </>
        ),
        aside: <UserState status={status} />,
      })}
      bulk={mayWrite ? <UserBulk /> : undefined}
    >
      <SortableColumn source="id" label={t("users.fields.id")} render={({ id }) => id} />
      <SortableColumn
        source="username"
        label={t("users.fields.username")}
        render={({ id, username }) => <RecordLink to={`/users/${id}`}>{username}</RecordLink>}
      />
      <Column
        source="email"
        label={t("users.fields.email")}
        render={({ email }) => <EmailCell email={email} />}
      />
      <Column
        source="roles"
        label={t("common.resources.roles")}
        render={({ roles = [] }) => <RolesCell roles={roles} />}
      />
      <Column
        source="social_networks"
        label={t("users.fields.steam")}
        render={(user) => <SteamCell user={user} />}
      />
      <Column
        source="status"
        label={t("users.fields.status")}
        render={({ status }) => <UserState status={status} />}
      />
      {BLOCK_COLUMNS.map((name) => (
        <Column
          key={name}
          source={`block.${name}`}
          label={t(`users.blocked.${name}`)}
          render={(user) => <BlockCell user={user} name={name} />}
        />
      ))}
      <SortableColumn
        source="created_at"
        label={t("users.fields.createdAt")}
        render={({ created_at }) => <When at={created_at} />}
      />
    </ListPage>
  );
}

const BLOCK_COLUMNS = ["until", "reason", "by"] as const;

/** One of the terms of the block that is in force. */
function BlockCell({ user, name }: { user: UserItem; name: (typeof BLOCK_COLUMNS)[number] }) {
  const { block } = user;
  if (!block) {
    return null;
  }
  switch (name) {
    case "until":
      return <BlockEnd until={block.until} />;
    case "reason":
      return block.reason;
    case "by":
      return <BlockAuthor by={block.by} />;
  }
}

/** Everybody who is blocked, those whose block expires next first. */
export function BlockedList() {
  const t = useText();
  const mayWrite = useCan("admin.users");
  return (
    <ListPage<UserItem>
      resource="users"
      view="blocked"
      title={t("users.blocked.title")}
      subtitle={t("users.blocked.subtitle")}
      empty={{ title: t("users.blocked.empty"), text: t("users.blocked.why") }}
      filter={{ status: "blocked" }}
      sort={{ field: "blocked_until", order: "ASC" }}
      card={(user) => ({
        title: user.username,
        detail: (
          <>
            <BlockCell user={user} name="reason" />
            {" · "}
            <BlockCell user={user} name="by" />
          </>
        ),
        aside: <BlockCell user={user} name="until" />,
      })}
      bulk={mayWrite ? <UserBulk /> : undefined}
    >
      <Column
        source="username"
        label={t("users.fields.username")}
        render={({ id, username }) => <RecordLink to={`/users/${id}`}>{username}</RecordLink>}
      />
      <Column
        source="social_networks"
        label={t("users.fields.steam")}
        render={(user) => <SteamCell user={user} />}
      />
      <Column
        source="block.reason"
        label={t("users.blocked.reason")}
        render={(user) => <BlockCell user={user} name="reason" />}
      />
      <Column
        source="block.by"
        label={t("users.blocked.by")}
        render={(user) => <BlockCell user={user} name="by" />}
      />
      <Column
        source="block.at"
        label={t("users.blocked.at")}
        render={({ block }) => block && <When at={block.at} />}
      />
      <Column
        source="blocked_until"
        label={t("users.blocked.until")}
        disableSort={false}
        render={(user) => <BlockCell user={user} name="until" />}
      />
    </ListPage>
  );
}

/** The results of a search have an order of their own. */
function SortableColumn(props: ComponentProps<typeof Column>) {
  const { filterValues } = useListContext();
  return <Column {...props} disableSort={searchOf(filterValues) !== null} />;
}

function SearchNote() {
  const t = useText();
  const { filterValues } = useListContext();
  const lacking = lackingCharacters(filterValues);
  if (lacking === 0 && searchOf(filterValues) === null) {
    return null;
  }
  return (
    <Alert severity="info" role="status" sx={{ mb: 1.5, py: 0 }}>
      {lacking > 0 ? t("users.search.more", { smart_count: lacking }) : t("users.search.note")}
    </Alert>
  );
}

/** The filters of the list. A search looks at all users, so it switches the others off. */
function UserFilters() {
  const t = useText();
  const roles = useRoles();
  const mayReadRoles = useCan("admin.roles.read");
  const { filterValues } = useListContext();
  const isSearch = searchOf(filterValues) !== null;
  return (
    <>
      <TextInput source="q" type="search" label={t("common.findUser")} sx={{ flexBasis: 300 }} />
      <StatusInput offered={STATUSES} disabled={isSearch} />
      {mayReadRoles && (
        <SelectInput
          source="role_id"
          label={t("users.fields.role")}
          choices={roles}
          optionText="name"
          translateChoice={false}
          emptyText={t("common.all")}
          disabled={isSearch}
        />
      )}
    </>
  );
}

interface Filters {
  status?: string;
  role_id?: number;
}

/** Exports the users that the filters leave. The service exports no results of a search. */
function UserExport() {
  const { filterValues, sort } = useListContext();
  const { status, role_id } = filterValues as Filters;
  return (
    <ExportButton
      path="/api/users/export"
      query={{ status, role_id, sort: `${sort.order === "DESC" ? "-" : ""}${sort.field}` }}
      name="users"
      disabled={searchOf(filterValues) !== null}
    />
  );
}
