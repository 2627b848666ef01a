import { actions } from "../audit/actions";

type Actions = typeof actions.en;
export type EventResource = keyof Actions;
export type EventAction = { [R in EventResource]: keyof Actions[R] }[EventResource];

export const EVENT_RESOURCES = Object.keys(actions.en) as EventResource[];

/** What a webhook can be told about: the resources of the audit log with their actions. */
export const EVENTS = Object.fromEntries(
  EVENT_RESOURCES.map((resource) => [resource, Object.keys(actions.en[resource])]),
) as Record<EventResource, EventAction[]>;

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
