import { useListContext } from "react-admin";
import { searchOf } from "../../api/search";
import { ExportButton } from "../../components/ExportButton";

interface Filters {
  status?: string;
  role_id?: number;
}

/** Exports the users that the filters leave. The service exports no results of a search. */
export function UserExport() {
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
