import { api, body } from "../../../api/client";
import { ApiError } from "../../../api/error";
import type { Check, Finding } from "./check";

const OLD_MS = 2 * 86_400_000;

async function find(): Promise<Finding[]> {
  try {
    const { backups } = await body(api.GET("/api/backups"));
    const whole = backups.filter(({ state }) => state === "done");
    const newest = whole.at(-1);
    if (newest === undefined) {
      return [{ problem: "noBackup", tone: "bad", to: "/system" }];
    }
    const at = newest.created_at;
    const isOld = Date.now() - Date.parse(at) > OLD_MS;
    return isOld ? [{ problem: "oldBackup", at, tone: "warn", to: "/system" }] : [];
  } catch (error) {
    if (error instanceof ApiError && error.code === "backups_disabled") {
      return [{ problem: "backupsDisabled", tone: "accent", to: "/system" }];
    }
    throw error;
  }
}

/** A newest backup that is older than two days. Backups may also be made by other means. */
export const BACKUPS: Check = {
  subject: "backups",
  permission: "admin.backups",
  queryKey: ["backups", "attention"],
  find,
};
