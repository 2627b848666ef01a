import type { Schemas } from "../../api/client";

type Changes = Schemas["ApiKeyRestrictionChanges"];

/** The restrictions among the values of a form. No network means: from anywhere. */
export function restrictionChanges(values: Record<string, unknown>): Changes {
  const { expires_at, allowed_ips, requests_per_second } = values as Changes;
  return {
    ...(expires_at !== undefined && { expires_at }),
    ...(allowed_ips !== undefined && {
      allowed_ips: allowed_ips === null || allowed_ips.length === 0 ? null : allowed_ips,
    }),
    ...(requests_per_second !== undefined && { requests_per_second }),
  };
}
