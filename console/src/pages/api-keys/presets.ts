import type { Preset } from "../../components/PermissionPicker";
import type { Translate } from "../../i18n";

/** What common programs need, and nothing else. */
export function presetsOf(t: Translate): Preset[] {
  return [
    {
      text: t("apiKeys.presets.payments"),
      names: ["admin.payments", "admin.currencies.read", "admin.users.read"],
    },
    {
      text: t("apiKeys.presets.gameServer"),
      names: [
        "admin.servers.read",
        "admin.servers.rcon",
        "admin.users.read",
        "admin.roles.read",
        "admin.sessions",
      ],
    },
  ];
}
