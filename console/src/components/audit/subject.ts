import type { ResourceName } from "../../api/resources";
import { resourceOf } from "../../live/events";
import { type Entry, MASKED } from "./sentence";

/** What an entry is about. */
export interface Subject {
  /** The name at that time, if the entry has it. */
  name: string | null;
  /** Where to ask for the name otherwise. */
  resource: ResourceName | null;
  id: number | null;
  /** The page that shows it; null if it is gone or has none. */
  path: string | null;
}

/** The field of each resource that people know a record by. */
export const NAMES: Partial<Record<ResourceName, string>> = {
  users: "username",
  roles: "name",
  servers: "name",
  pages: "title",
  navigation: "title",
  currencies: "code",
  gateways: "name",
  "promo-codes": "code",
  "social-networks": "title",
  "api-keys": "name",
  webhooks: "name",
  operators: "username",
};

const SIGN_INS = ["sessions", "console_sessions"];

export function subjectOf(entry: Entry): Subject {
  const { resource, resource_id: id, action, before, after } = entry;
  if (SIGN_INS.includes(resource)) {
    return user(after.user_id ?? before.user_id);
  }
  if (resource === "operators") {
    return user(id);
  }
  if (resource === "backups") {
    return { name: text(after.name ?? before.name), resource: null, id: null, path: "/system" };
  }
  const own = resourceOf(resource);
  if (own === null || id === 0) {
    return { name: null, resource: null, id: id === 0 ? null : id, path: null };
  }
  const field = NAMES[own] ?? "";
  const isGone = action.endsWith(".delete");
  return {
    name: text(after[field]) ?? text(before[field]),
    resource: isGone ? null : own,
    id,
    path: isGone ? null : own === "navigation" ? "/navigation" : `/${own}/${id}`,
  };
}

function user(id: unknown): Subject {
  return typeof id === "number"
    ? { name: null, resource: "users", id, path: `/users/${id}` }
    : { name: null, resource: null, id: null, path: null };
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value !== MASKED ? value : null;
}
