import type { TextKey } from "../../i18n";
import type { Tone } from "../../components/text";
import type { Findings, Pair, Problem, ServerRole } from "./connection";

/** What a check found, as a sentence. */
export interface Line {
  tone: Extract<Tone, "good" | "warn" | "bad" | "neutral">;
  text: TextKey;
  values?: Record<string, string | number>;
}

/** Problems of one role. The others are of the bot. */
export const ROLE_PROBLEMS = [
  "role_missing",
  "role_managed",
  "role_is_everyone",
  "role_above_bot",
] as const;
export type RoleProblem = (typeof ROLE_PROBLEMS)[number];

export function isRoleProblem(problem: Problem | null): problem is RoleProblem {
  return ROLE_PROBLEMS.some((one) => one === problem);
}

const QUESTIONS = ["token", "guild", "bot_role", "intent"] as const;

/** The sentences of a check. `nameOf` names a role at Discord. */
export function linesOf(check: Findings, nameOf: (id: string) => string): Line[] {
  const lines = QUESTIONS.flatMap((question): Line[] => {
    const { problem } = check[question];
    switch (problem) {
      case null:
        return [{ tone: "good", text: `discord.check.ok.${question}` }];
      case "not_checked":
        return [];
      case "intent_missing":
        return [{ tone: "warn", text: `discord.problems.${problem}` }];
      default:
        return [{ tone: "bad", text: `discord.problems.${problem}` }];
    }
  });
  // Several roles may be followed by one.
  const roles = new Map<string, RoleProblem>();
  for (const { discord_role_id: id, problem } of check.mappings) {
    if (isRoleProblem(problem)) {
      roles.set(id, problem);
    }
  }
  for (const [id, problem] of roles) {
    const values = { role: nameOf(id) };
    lines.push({ tone: "bad", text: `discord.roleProblems.${problem}`, values });
  }
  const all = [...QUESTIONS.map((question) => check[question]), ...check.mappings];
  if (all.some(({ problem }) => problem === "not_checked")) {
    lines.push({ tone: "neutral", text: "discord.problems.not_checked" });
  } else if (check.mappings.length > 0 && roles.size === 0) {
    const count = new Set(check.mappings.map((pair) => pair.discord_role_id)).size;
    lines.push({ tone: "good", text: "discord.check.pairs", values: { smart_count: count } });
  }
  return lines;
}

/** Whether Discord refuses the bot, so that nothing else can be asked. */
export function isRefused(problem: Problem | null): boolean {
  return problem === "token_refused" || problem === "not_in_guild" || problem === "access_refused";
}

/** Why the bot cannot give a role; null if it can, or if Discord was not asked. */
export function problemOf(
  roles: readonly ServerRole[] | undefined,
  id: string | null,
): RoleProblem | null {
  if (roles === undefined || id === null) {
    return null;
  }
  const role = roles.find((one) => one.id === id);
  const problem = role === undefined ? "role_missing" : role.problem;
  return isRoleProblem(problem) ? problem : null;
}

/** A pair in the form, of which something may not be chosen yet. */
export type PairDraft = { [K in keyof Pair]: Pair[K] | null };

/** Whether another pair has the same roles. */
export function isTaken(pairs: readonly PairDraft[], index: number, pair: PairDraft): boolean {
  return pairs.some(
    (other, at) =>
      at !== index &&
      other.role_id === pair.role_id &&
      other.discord_role_id === pair.discord_role_id,
  );
}

/** Whether a stored pair is no longer in the form. */
export function hasLost(stored: readonly PairDraft[], pairs: readonly PairDraft[]): boolean {
  return stored.some((pair) => !isTaken(pairs, -1, pair));
}

/** Why a visit of a member failed, as a text; null if the sentence of the service is all there is. */
export function failureOf(error: string): Pick<Line, "text" | "values"> | null {
  const status = /^Discord answered with (\d+)\.$/.exec(error)?.[1];
  if (status !== undefined) {
    return { text: "discord.members.errors.answered", values: { status } };
  }
  if (error.startsWith("Discord cannot be asked:")) {
    return { text: "discord.members.errors.unreachable" };
  }
  return error === "Discord's answer cannot be read."
    ? { text: "discord.members.errors.unreadable" }
    : null;
}

/** The permission Manage Roles alone. */
const MANAGE_ROLES = 1 << 28;

/** Where an owner of a server lets the bot in; null until the id can be one. */
export function inviteAddress(applicationId: string): string | null {
  const id = applicationId.trim();
  if (!/^[1-9]\d{16,19}$/.test(id)) {
    return null;
  }
  const query = new URLSearchParams({
    client_id: id,
    scope: "bot",
    permissions: String(MANAGE_ROLES),
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

/** The lines of steward.toml that set up what is missing. */
export function configurationLines(features: {
  steam_sign_in: boolean;
  discord_sign_in: boolean;
}): string[] {
  const { steam_sign_in: steam, discord_sign_in: discord } = features;
  return [
    ...(steam || discord ? [] : ['sign-in-return-to = "https://site.example/signed-in"']),
    ...(steam ? [] : ['steam-sign-in = "on"']),
    ...(discord
      ? []
      : [
          'discord-client-id = "123456789012345678"',
          'discord-client-secret-file = "/etc/steward/discord-client-secret"',
        ]),
  ];
}
