import type { Steward } from "./support";

export interface Role {
  id: number;
  name: string;
  description: string;
}

/** Creates a role that only one test knows. */
export async function newRole(steward: Steward): Promise<Role> {
  const { role } = await steward.api<{ role: Role }>("POST", "/api/roles", {
    name: steward.unique("Role"),
    description: "As it was",
  });
  return role;
}

export async function readRole(steward: Steward, id: number): Promise<Role> {
  return (await steward.read<{ role: Role }>(`/api/roles/${id}`)).role;
}

/** The number of roles with exactly this name. */
export async function countRoles(steward: Steward, name: string): Promise<number> {
  const { roles } = await steward.read<{ roles: Role[] }>("/api/roles?per_page=100");
  return roles.filter((role) => role.name === name).length;
}
