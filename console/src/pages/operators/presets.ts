import type { Preset } from "../../components/permissions/PermissionsInput";
import type { Translate } from "../../i18n";

/** What people in a community usually do. They are only sets of permissions to begin with. */
export function operatorPresets(t: Translate): Preset[] {
  return [
    { text: t("operators.presets.owner"), names: "all" },
    {
      text: t("operators.presets.moderator"),
      names: [
        "admin.users",
        "admin.bans",
        "admin.roles.read",
        "admin.servers.read",
        "admin.servers.rcon",
        "admin.audit.read",
      ],
    },
    {
      text: t("operators.presets.cashier"),
      names: [
        "admin.payments",
        "admin.currencies.read",
        "admin.products.read",
        "admin.deliveries",
        "admin.users.read",
      ],
    },
    {
      text: t("operators.presets.editor"),
      names: ["admin.pages", "admin.navigation", "admin.roles.read"],
    },
  ];
}
