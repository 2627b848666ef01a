import type { Schemas } from "../../api/client";
import type { permissions as texts } from "./texts";

export type Permission = Schemas["Permission"];

/** The part of the service that permissions are about. Names are `admin.AREA` and below. */
export interface Area {
  name: string;
  permissions: Permission[];
}

/** The order in which people look for them: the community first, the service last. */
const ORDER = [
  "users",
  "roles",
  "servers",
  "payments",
  "currencies",
  "pages",
  "navigation",
  "sessions",
  "api-keys",
  "webhooks",
  "audit",
  "backups",
];

function areaOf({ name }: Permission): string {
  return name.split(".")[1] ?? name;
}

/** The catalogue by area. In each, reading comes before changing. Unknown areas are last. */
export function areasOf(catalogue: Permission[]): Area[] {
  const areas = new Map<string, Permission[]>(ORDER.map((name) => [name, []]));
  for (const permission of catalogue) {
    const area = areaOf(permission);
    areas.set(area, [...(areas.get(area) ?? []), permission]);
  }
  return [...areas]
    .filter(([, permissions]) => permissions.length > 0)
    .map(([name, permissions]) => ({ name, permissions: permissions.toSorted(byWeight) }));
}

function byWeight(a: Permission, b: Permission): number {
  const weight = ({ name }: Permission) => (isRead(name) ? 0 : name.split(".").length > 2 ? 1 : 2);
  return weight(a) - weight(b);
}

export function isRead(name: string): boolean {
  return name.endsWith(".read");
}

/** A name grants itself and everything below it. */
export function covers(held: readonly Permission[], wanted: string): boolean {
  return held.some(({ name }) => wanted === name || wanted.startsWith(`${name}.`));
}

/** Those that no other of them includes: the shortest list that grants the same. */
export function shortest(permissions: readonly Permission[]): Permission[] {
  return permissions.filter(
    ({ id, name }) =>
      !covers(
        permissions.filter((other) => other.id !== id),
        name,
      ),
  );
}

/** In the order of the service, so that equal lists are equal. */
export function sorted(permissions: readonly Permission[]): Permission[] {
  return permissions.toSorted((a, b) => a.id - b.id);
}

type TextName = keyof typeof texts.en.allows;
type AreaName = keyof typeof texts.en.areas;

/** The key of the text that says what a permission allows: `users_read` for `admin.users.read`. */
export function textName(name: string): TextName {
  return name.replace(/^admin\./, "").replace(/[.-]/g, "_") as TextName;
}

export function areaName(area: string): AreaName {
  return area.replaceAll("-", "_") as AreaName;
}
