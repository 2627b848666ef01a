import { useText } from "../../i18n";
import { areaName, isRead, type Permission, textName } from "./areas";
import { permissions as texts } from "./texts";

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
    level: ({ name }: Permission) => {
      if (isRead(name)) {
        return t("permissions.read");
      }
      if (name === "admin.servers.rcon") {
        return t("permissions.rcon");
      }
      return t(name === "admin.sessions" ? "permissions.use" : "permissions.manage");
    },
  };
}
