import { type ReactNode, useCallback } from "react";
import { useText } from "../../i18n";
import type { Permission } from "./areas";

/** Two versions of a record in words: permissions by their names, switches as yes and no. */
export function useShowPermissions(): (field: string, value: unknown) => ReactNode {
  const t = useText();
  return useCallback(
    (field, value) => {
      if (field === "permissions") {
        const names = (value as Permission[]).map(({ name }) => name).join(", ");
        return names === "" ? t("permissions.nothing") : names;
      }
      return typeof value === "boolean" ? t(value ? "common.yes" : "common.no") : String(value);
    },
    [t],
  );
}
