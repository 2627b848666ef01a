import { type ReactNode, useCallback } from "react";
import { api, type Schemas } from "../../api/client";
import { useRead } from "../../api/useRead";
import { useText } from "../../i18n";
import { areaName, isRead, levelOf, permissionName } from "./names";
import { permissions as texts } from "./texts";

export { isRead };

export type Permission = Schemas["Permission"];

/** The part of the service that permissions are about. Names are `admin.AREA` and below. */
export interface Area {
  name: string;
  permissions: Permission[];
}

/** The order in which people look for them: the community first, the service last. */
const ORDER = Object.keys(texts.en.areas).map((name) => name.replaceAll("_", "-"));

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

/** The key of the text that says what a permission allows: `users_read` for `admin.users.read`. */
function textName(name: string): TextName {
  return name.replace(/^admin\./, "").replace(/[.-]/g, "_") as TextName;
}

/** All permissions that there are. They change only with the version of the service. */
export function useCatalogue() {
  return useRead(["permissions", "catalog"], () => api.GET("/api/permissions/catalog"), {
    select: ({ permissions }) => permissions,
    staleTime: Infinity,
  });
}

/** The words for areas and permissions. A newer service may have some that only it can describe. */
export function usePermissionText() {
  const t = useText();
  return {
    area: (name: string) => {
      const key = areaName(name);
      return Object.hasOwn(texts.en.areas, key) ? t(`permissions.areas.${key}`) : name;
    },
    /** What the permission allows. */
    allows: ({ name, description }: Permission) => {
      const key = textName(name);
      return Object.hasOwn(texts.en.allows, key) ? t(`permissions.allows.${key}`) : description;
    },
    /** Its short name inside its area. */
    level: ({ name }: Permission) => t(`permissions.${levelOf(name)}`),
  };
}

/** Two versions of a record in words: permissions by their names, switches as yes and no. */
export function useShowPermissions(): (field: string, value: unknown) => ReactNode {
  const t = useText();
  return useCallback(
    (field, value) => {
      if (field === "permissions") {
        const names = (value as Permission[]).map(({ name }) => permissionName(name, t)).join(", ");
        return names === "" ? t("permissions.nothing") : names;
      }
      return typeof value === "boolean" ? t(value ? "common.yes" : "common.no") : String(value);
    },
    [t],
  );
}
