/** What a webhook can be told about: the resources of the audit log with their actions. */
export const EVENTS = {
  users: [
    "create",
    "update",
    "block",
    "unblock",
    "roles",
    "bulk",
    "add_social_network",
    "remove_social_network",
    "add_device",
    "remove_device",
    "erase",
    "delete",
  ],
  payment_invoices: ["create", "status", "fail", "delete"],
  promo_codes: ["create", "update", "delete"],
  payment_gateways: ["create", "update", "delete"],
  currencies: ["create", "update", "default", "delete"],
  servers: ["create", "update", "toggle", "rcon", "delete"],
  pages: [
    "create",
    "update",
    "add_block",
    "update_block",
    "reorder_blocks",
    "remove_block",
    "delete",
  ],
  navbar_items: ["create", "update", "reorder", "add_roles", "remove_roles", "delete"],
  roles: ["create", "update", "permissions", "delete"],
  social_networks: ["create", "update", "delete"],
  sessions: ["create", "delete", "fail"],
  console_sessions: ["create", "delete", "fail"],
  operators: [
    "create",
    "update",
    "password",
    "begin_two_factor",
    "confirm_two_factor",
    "remove_two_factor",
    "reset_two_factor",
    "delete",
    "invite",
  ],
  api_keys: ["create", "update", "permissions", "restrictions", "regenerate", "rotate", "delete"],
  webhooks: ["create", "update", "rotate_secret", "test", "retry", "replay", "disable", "delete"],
  backups: ["create", "delete", "restore"],
  secret_key: ["rotate", "reset"],
  demo: ["fill"],
} as const;

export type EventResource = keyof typeof EVENTS;
export type EventAction = (typeof EVENTS)[EventResource][number];

export const EVENT_RESOURCES = Object.keys(EVENTS) as EventResource[];

/** All events, of every resource. */
export const EVERYTHING = "*";

export const allOf = (resource: EventResource) => `${resource}.*`;
export const eventOf = (resource: EventResource, action: EventAction) => `${resource}.${action}`;

/** The patterns with hyphens mean the same as those with underscores, which the API stores. */
const plain = (pattern: string) => pattern.replaceAll("-", "_");

export function has(patterns: readonly string[], pattern: string): boolean {
  return patterns.some((one) => plain(one) === pattern);
}

/** The patterns that are not among those offered, such as an action of a later version. */
export function others(patterns: readonly string[]): string[] {
  const offered = new Set<string>([
    EVERYTHING,
    ...EVENT_RESOURCES.flatMap((resource) => [
      allOf(resource),
      ...EVENTS[resource].map((action) => eventOf(resource, action)),
    ]),
  ]);
  return patterns.filter((pattern) => !offered.has(plain(pattern)));
}

/** Selects all of a resource, or nothing of it. */
export function selectResource(
  patterns: readonly string[],
  resource: EventResource,
  isSelected: boolean,
): string[] {
  const rest = patterns.filter((pattern) => !plain(pattern).startsWith(`${resource}.`));
  return isSelected ? [...rest, allOf(resource)] : rest;
}

/** Selects one action or not. Without one of them, `users.*` becomes a list of the others. */
export function selectAction(
  patterns: readonly string[],
  resource: EventResource,
  action: EventAction,
  isSelected: boolean,
): string[] {
  const event = eventOf(resource, action);
  const listed = has(patterns, allOf(resource))
    ? [
        ...selectResource(patterns, resource, false),
        ...EVENTS[resource].map((one) => eventOf(resource, one)),
      ]
    : patterns;
  const rest = listed.filter((pattern) => plain(pattern) !== event);
  return isSelected ? [...rest, event] : rest;
}
