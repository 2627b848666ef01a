import type { Schemas } from "../../api/client";
import type { Values } from "../../components/form/conflict";

type Role = Schemas["NavbarItemRole"];

/** The API shows the roles of an item with their names, and takes their ids. */
export function withRoleIds(values: Values): Values {
  const { roles } = values;
  return roles === undefined
    ? values
    : { ...values, roles: ((roles ?? []) as Role[]).map(({ id }) => id) };
}
