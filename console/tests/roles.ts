import type { Locator, Page } from "@playwright/test";
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
  return (await steward.api<{ role: Role }>("GET", `/api/roles/${id}`)).role;
}

/** The number of roles with exactly this name. */
export async function countRoles(steward: Steward, name: string): Promise<number> {
  const { roles } = await steward.api<{ roles: Role[] }>("GET", "/api/roles?per_page=100");
  return roles.filter((role) => role.name === name).length;
}

/** The button that saves the name and the description: the page has other forms. */
export function saveButton(page: Page): Locator {
  const form = page.locator("form").filter({ has: page.getByRole("textbox", { name: "Name" }) });
  return form.getByRole("button", { name: "Save", exact: true });
}
