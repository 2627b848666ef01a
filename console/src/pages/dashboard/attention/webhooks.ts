import { api, body } from "../../../api/client";
import { grants, sessionStore } from "../../../session/session";
import type { Check, Finding } from "./check";

/** The newest events may not have been sent yet, so a few are looked at. */
const LOOKED_AT = 5;

async function find(): Promise<Finding[]> {
  const [{ webhooks }, disabled] = await Promise.all([
    body(api.GET("/api/webhooks")),
    readDisabled(),
  ]);
  const found = await Promise.all(
    webhooks.map(async ({ id, name, active }): Promise<Finding[]> => {
      const finding = { name, tone: "bad", to: `/webhooks/${id}` } as const;
      if (!active) {
        return disabled.has(id) ? [{ ...finding, problem: "webhookDisabled" }] : [];
      }
      const failedAt = await lastFailure(id);
      return failedAt === null ? [] : [{ ...finding, problem: "webhookFails", at: failedAt }];
    }),
  );
  return found.flat();
}

/** When the last attempt was, if it failed. */
async function lastFailure(id: number): Promise<string | null> {
  const params = { path: { id }, query: { per_page: LOOKED_AT } };
  const { deliveries } = await body(api.GET("/api/webhooks/{id}/deliveries", { params }));
  const attempt = deliveries
    .flatMap(({ attempts }) => attempts.slice(-1))
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .at(-1);
  if (attempt === undefined) {
    return null;
  }
  const isSuccess = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  return isSuccess ? null : attempt.at;
}

/** The webhooks that the service has switched off by itself. Only the audit log tells who did. */
async function readDisabled(): Promise<Set<number>> {
  if (!grants(sessionStore.get(), "admin.audit.read")) {
    return new Set();
  }
  const params = { query: { action: "webhooks.disable", per_page: 100 } };
  const { audit_log } = await body(api.GET("/api/audit-log", { params }));
  return new Set(audit_log.map(({ resource_id }) => resource_id));
}

/** Webhooks whose receiver fails, or failed for so long that the service gave up. */
export const WEBHOOKS: Check = {
  subject: "webhooks",
  permission: "admin.webhooks.read",
  queryKey: ["webhooks", "attention"],
  find,
};
