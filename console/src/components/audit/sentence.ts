import type { Schemas } from "../../api/client";
import type { ResourceName } from "../../api/resources";
import type { TextKey } from "../../i18n";
import { resourceOf } from "../../live/events";
import { actions } from "../../pages/audit/actions";

export type Entry = Schemas["AuditEntry"];

/** Values of people who were erased, and secrets. */
export const MASKED = "***";

type Sentence = Extract<TextKey, `audit.actions.${string}` | `audit.cases.${string}`>;

/** The text of an entry, and the number in it. A lift does not name the kind of the ban. */
export function sentence(entry: Entry, kind?: string | null): { key: Sentence; count: number } {
  return {
    key: special(entry, kind) ?? (isKnown(entry.action) ? `audit.actions.${entry.action}` : OTHER),
    count: countOf(entry),
  };
}

/** How many records an entry about many is about. */
function countOf(entry: Entry): number {
  const { ids } = entry.after;
  return Array.isArray(ids) ? ids.length : Object.keys(changedUsers(entry)).length;
}

const OTHER = "audit.cases.other";

type Actions = typeof actions.en;
type Known = {
  [R in keyof Actions & string]: `${R}.${keyof Actions[R] & string}`;
}[keyof Actions & string];

function isKnown(action: string): action is Known {
  const [resource = "", kind = ""] = action.split(".");
  const kinds: Record<string, Record<string, string>> = actions.en;
  return Object.hasOwn(kinds, resource) && Object.hasOwn(kinds[resource] ?? {}, kind);
}

/** Some actions do one of several things, which only the fields tell. */
function special({ action, before, after, ...rest }: Entry, kind?: string | null): Sentence | null {
  switch (action) {
    case "servers.toggle":
      return after.enabled === true ? "audit.cases.serverEnabled" : "audit.cases.serverDisabled";
    case "payment_invoices.status":
      if (after.is_paid === undefined) {
        return null;
      }
      return after.is_paid === true ? "audit.cases.invoicePaid" : "audit.cases.invoiceUnpaid";
    case "bans.create":
      return BANNED[String(after.kind)] ?? null;
    case "bans.lift":
      return LIFTED[String(kind)] ?? null;
    case "users.set_role":
      return before.role_id === undefined ? null : "audit.cases.roleEnd";
    case "users.bulk": {
      const [one] = Object.values(changedUsers({ action, before, after, ...rest }));
      if (one?.roles !== undefined) {
        return "audit.cases.usersRoles";
      }
      if (one?.status === undefined && one?.block === undefined) {
        return null;
      }
      return one.block === null ? "audit.cases.usersUnblocked" : "audit.cases.usersBlocked";
    }
    default:
      return null;
  }
}

/** What else than a ban was put on a player. */
const BANNED: Record<string, Sentence> = {
  mute: "audit.cases.muted",
  gag: "audit.cases.gagged",
  silence: "audit.cases.silenced",
};

/** What else than a ban was lifted. */
const LIFTED: Record<string, Sentence> = {
  mute: "audit.cases.unmuted",
  gag: "audit.cases.ungagged",
  silence: "audit.cases.unsilenced",
};

/** The role that an entry about one role of a user names. */
export function roleOf({ before, after }: Entry): string | null {
  return text(after.role_name ?? before.role_name);
}

interface UserState {
  status?: string;
  block?: unknown;
  roles?: number[];
}

function changedUsers({ after }: Entry): Record<string, UserState> {
  return (after.users ?? {}) as Record<string, UserState>;
}

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

/** The fields of each resource that people know a record by; the first that is not empty counts. */
export const NAMES: Partial<Record<ResourceName, readonly string[]>> = {
  users: ["username"],
  bans: ["player_name", "steam_id64", "ip_range"],
  roles: ["name"],
  servers: ["name"],
  pages: ["title"],
  navigation: ["title"],
  currencies: ["code"],
  gateways: ["name"],
  products: ["name"],
  "promo-codes": ["code"],
  "social-networks": ["title"],
  "api-keys": ["name"],
  webhooks: ["name"],
  operators: ["username"],
};

/** What a record of a resource is called; null if none of its fields says. */
export function nameIn(resource: ResourceName, fields: Record<string, unknown>): string | null {
  const names = (NAMES[resource] ?? []).map((field) => text(fields[field]));
  return names.find((name) => name !== null) ?? null;
}

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
  if (resource === "grants") {
    const { product_name: product, user_id: userId } = after;
    const path = typeof userId === "number" ? `/grants?user_id=${userId}` : "/grants";
    return { name: text(product), resource: null, id, path };
  }
  const own = resourceOf(resource);
  if (own === null || id === 0) {
    return { name: null, resource: null, id: id === 0 ? null : id, path: null };
  }
  const isGone = action.endsWith(".delete");
  return {
    name: nameIn(own, after) ?? nameIn(own, before),
    resource: isGone ? null : own,
    id,
    path: isGone ? null : own === "navigation" || own === "discord" ? `/${own}` : `/${own}/${id}`,
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
