import { api, body, type Schemas } from "../../api/client";
import { moment } from "../../api/moment";
import type { User } from "./user";

/** A role that a user holds now. */
export type HeldRole = Schemas["UserRoleDetail"];

/** For how many days a role is usually given or extended. */
export const LENGTHS = [7, 30, 90] as const;
export const DAY_SECONDS = 86_400;

/** The moment after so many days, as the API writes it. */
export function afterDays(days: number, now: Date): string {
  return moment(new Date(now.getTime() + days * DAY_SECONDS * 1000));
}

export function rolesKey({ id }: User) {
  return ["users", id, "roles"];
}

export async function readRoles({ id }: User): Promise<HeldRole[]> {
  return (await body(api.GET("/api/users/{id}/roles", { params: { path: { id } } }))).roles;
}

interface Path {
  userId: number;
  roleId: number;
}

/** Gives a role, or changes its end. */
export function putRole(
  path: Path,
  expires_at: string | null,
  header: { "If-Match"?: string } = {},
) {
  const params = { path, header };
  return api.PUT("/api/users/{userId}/roles/{roleId}", { params, body: { expires_at } });
}
