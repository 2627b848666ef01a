import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { grants, sessionStore } from "../../session/session";
import { stateOf } from "../api-keys/attention";
import { readConnection } from "../discord/read";
import { countAttention, countDelayed } from "../payments/grants/useGrants";
import { SERVERS_QUERY } from "./ServersPanel";
import type { dashboard } from "./texts";

type Problem = keyof typeof dashboard.en.attention.problems;

/** Something that a person should look at. */
export interface Finding {
  problem: Problem;
  /** What it is about: the name of a server, a key, a person. */
  name?: string;
  /** How many of them there are, if they are not named. */
  count?: number;
  /** When it happened or will happen. */
  at?: string | null;
  tone: "bad" | "warn" | "accent";
  /** Where it can be set right. */
  to: string;
}

/** One kind of problem to look for. Each is read on its own, so that one failure hides no other. */
interface Check {
  /** What is checked, for the message if that fails. */
  subject: "servers" | "api_keys" | "webhooks" | "backups" | "operators" | "grants" | "discord";
  permission: string;
  queryKey: QueryKey;
  /** The client gives what another part of the page has read. */
  find: (client: QueryClient) => Promise<Finding[]>;
}

/** Servers that did not answer their last query. */
async function findSilentServers(client: QueryClient): Promise<Finding[]> {
  const silent = (await client.fetchQuery(SERVERS_QUERY)).filter(
    ({ live }) => live !== null && live.checked_at !== null && !live.reachable,
  );
  return silent.map(({ server, live }) => ({
    problem: "serverSilent",
    name: server.name,
    at: live?.checked_at ?? null,
    tone: "bad",
    to: `/servers/${server.id}`,
  }));
}

/** Grants of which a step failed or is uncertain. One list shows them all. */
async function findStuckGrants(): Promise<Finding[]> {
  const count = await countAttention();
  const to = "/grants?state=attention";
  return count === 0 ? [] : [{ problem: "grantsStuck", count, tone: "bad", to }];
}

/** Grants whose commands a game server did not take yet. They are tried again for days. */
async function findDelayedGrants(): Promise<Finding[]> {
  const count = await countDelayed();
  const to = "/grants?state=pending";
  return count === 0 ? [] : [{ problem: "grantsDelayed", count, tone: "bad", to }];
}

/** Keys that expire within two weeks, or have. */
async function findExpiringKeys(): Promise<Finding[]> {
  const { api_keys } = await body(
    api.GET("/api/api-keys", { params: { query: { per_page: 100 } } }),
  );
  const active = api_keys.filter((key) => key.active);
  const found = await Promise.all(
    active.map(async (key): Promise<Finding[]> => {
      const params = { path: { id: key.id } };
      const reply = await body(api.GET("/api/api-keys/{id}/restrictions", { params }));
      const { restrictions } = reply;
      const about = { name: key.name, at: restrictions.expires_at, to: `/api-keys/${key.id}` };
      switch (stateOf(key, restrictions)) {
        case "expired":
          return [{ ...about, problem: "keyExpired", tone: "bad" }];
        case "expiresSoon":
          return [{ ...about, problem: "keyExpires", tone: "warn" }];
        default:
          return [];
      }
    }),
  );
  return found.flat();
}

/** What keeps roles at Discord from following. */
async function findDiscordProblem(): Promise<Finding[]> {
  const connection = await readConnection();
  if (connection === null || connection.error === null) {
    return [];
  }
  const { active, checked_at: at } = connection;
  const about = { at, to: "/discord" };
  return active
    ? [{ ...about, problem: "discordError", tone: "warn" }]
    : [{ ...about, problem: "discordRefused", tone: "bad" }];
}

/** The newest events may not have been sent yet, so a few are looked at. */
const LOOKED_AT = 5;

/** Webhooks whose receiver fails, or failed for so long that the service gave up. */
async function findFailingWebhooks(): Promise<Finding[]> {
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

/** Operators whose password alone lets them in. */
async function findOperatorsWithoutTwoFactor(): Promise<Finding[]> {
  const { operators } = await body(api.GET("/api/operators"));
  const me = sessionStore.get()?.operator?.user_id;
  return operators
    .filter(({ active, two_factor }) => active && !two_factor)
    .map(({ user_id, username }) => ({
      problem: "noSecondFactor",
      name: username,
      tone: "warn",
      // Each person sets up their own.
      to: user_id === me ? "/account" : `/operators/${user_id}`,
    }));
}

const OLD_MS = 2 * 86_400_000;

/** A newest backup that is older than two days. Backups may also be made by other means. */
async function findOldBackup(): Promise<Finding[]> {
  if (sessionStore.get()?.features.backups === false) {
    return [{ problem: "backupsDisabled", tone: "accent", to: "/system" }];
  }
  const { backups } = await body(api.GET("/api/backups"));
  const whole = backups.filter(({ state }) => state === "done");
  const newest = whole.at(-1);
  if (newest === undefined) {
    return [{ problem: "noBackup", tone: "bad", to: "/system" }];
  }
  const at = newest.created_at;
  const isOld = Date.now() - Date.parse(at) > OLD_MS;
  return isOld ? [{ problem: "oldBackup", at, tone: "warn", to: "/system" }] : [];
}

/** What is read with the list of one resource, which live updates therefore read again. */
function check(
  subject: Check["subject"],
  permission: string,
  resource: string,
  find: Check["find"],
): Check {
  return { subject, permission, queryKey: [resource, "attention"], find };
}

/** Of problems that are equally urgent, those of the first check are shown first. */
export const CHECKS: Check[] = [
  // Two lines at most, and a person who paid waits.
  check("grants", "admin.products.read", "grants", async () =>
    (await Promise.all([findStuckGrants(), findDelayedGrants()])).flat(),
  ),
  check("servers", "admin.servers.read", "servers", findSilentServers),
  check("webhooks", "admin.webhooks.read", "webhooks", findFailingWebhooks),
  check("discord", "admin.discord.read", "discord", findDiscordProblem),
  check("backups", "admin.backups.read", "backups", findOldBackup),
  check("api_keys", "admin.api-keys.read", "api-keys", findExpiringKeys),
  check("operators", "admin.api-keys.read", "operators", findOperatorsWithoutTwoFactor),
];
