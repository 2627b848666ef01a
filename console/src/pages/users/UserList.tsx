import GroupOutlined from "@mui/icons-material/GroupOutlined";
import PersonAddOutlined from "@mui/icons-material/PersonAddOutlined";
import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import type { ComponentProps } from "react";
import { DataTable, useListContext } from "react-admin";
import { Link } from "react-router";
import { searchOf } from "../../api/search";
import { EmptyState } from "../../components/EmptyState";
import { ListPage } from "../../components/list/ListPage";
import { RecordLink } from "../../components/list/RecordLink";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { UserState } from "./status";
import type { UserItem } from "./types";
import { UserBulk } from "./UserBulk";
import { UserExport } from "./UserExport";
import { UserFilters } from "./UserFilters";

const Column = DataTable.Col<UserItem>;

export function UserList() {
  const t = useText();
  const mayWrite = useCan("admin.users");
  const create = (
    <Button
      component={Link}
      to="/users/create"
      variant="contained"
      startIcon={<PersonAddOutlined />}
    >
      {t("users.create")}
    </Button>
  );
  return (
    <ListPage<UserItem>
      resource="users"
      title={t("users.title")}
      subtitle={t("users.subtitle")}
      sort={{ field: "id", order: "DESC" }}
      actions={
        <>
          <UserExport />
          {mayWrite && create}
        </>
      }
      filters={<UserFilters />}
      summary={<SearchNote />}
      empty={
        <EmptyState
          icon={GroupOutlined}
          title={t("users.empty.title")}
          text={t("users.empty.text")}
          action={mayWrite && create}
        />
      }
      card={({ id, username, email, status }) => ({
        title: username,
        detail: `${email} · #${id}`,
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
        disableSort
        render={({ email }) => email}
      />
      <Column
        source="status"
        label={t("users.fields.status")}
        disableSort
        render={({ status }) => <UserState status={status} />}
      />
      <SortableColumn
        source="created_at"
        label={t("users.fields.createdAt")}
        render={({ created_at }) => <When at={created_at} />}
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
  return searchOf(filterValues) === null ? null : (
    <Alert severity="info" sx={{ mb: 1.5, py: 0 }}>
      {t("users.search.note")}
    </Alert>
  );
}
