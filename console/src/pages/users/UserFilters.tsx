import { SelectInput, TextInput, useListContext } from "react-admin";
import { searchOf } from "../../api/search";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { STATUSES } from "./status";
import { StatusInput } from "./StatusInput";
import { useRoles } from "./useRoles";

/** The filters of the list. A search looks at all users, so it switches the others off. */
export function UserFilters() {
  const t = useText();
  const roles = useRoles();
  const mayReadRoles = useCan("admin.roles.read");
  const { filterValues } = useListContext();
  const isSearch = searchOf(filterValues) !== null;
  return (
    <>
      <TextInput
        source="q"
        type="search"
        label={t("users.search.label")}
        placeholder={t("users.search.placeholder")}
        sx={{ flexBasis: 260 }}
      />
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
