import type { Translate } from "../../i18n/text";
import { permissions as texts } from "./texts";

type AreaName = keyof typeof texts.en.areas;

/** The key of the text of an area: `api_keys` for `api-keys`. */
export function areaName(area: string): AreaName {
  return area.replaceAll("-", "_") as AreaName;
}

export function isRead(name: string): boolean {
  return name.endsWith(".read");
}

/** A permission as the form calls it: `API keys and operators: Read`. */
export function permissionName(name: string, t: Translate): string {
  const area = areaName(name.split(".")[1] ?? name);
  if (!Object.hasOwn(texts.en.areas, area)) {
    return name;
  }
  return `${t(`permissions.areas.${area}`)}: ${t(`permissions.${levelOf(name)}`)}`;
}

/** The key of its short name inside its area. */
export function levelOf(name: string): "read" | "rcon" | "use" | "manage" {
  if (isRead(name)) {
    return "read";
  }
  if (name === "admin.servers.rcon") {
    return "rcon";
  }
  return ["admin.sessions", "admin.deliveries"].includes(name) ? "use" : "manage";
}
