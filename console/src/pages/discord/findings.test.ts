import { describe, expect, test } from "vitest";
import type { Findings, Problem, ServerRole } from "./connection";
import {
  configurationLines,
  failureOf,
  hasLost,
  inviteAddress,
  isTaken,
  linesOf,
  problemOf,
} from "./findings";

const VIP = "613425648685548000";
const ADMIN = "613425648685548001";

const finding = (problem: Problem | null = null) => ({ ok: problem === null, problem });
const pair = (role_id: number, discord_role_id: string, problem: Problem | null = null) => ({
  role_id,
  discord_role_id,
  ...finding(problem),
});

function findings(changes: Partial<Findings> = {}): Findings {
  return {
    token: finding(),
    guild: finding(),
    intent: finding(),
    bot_role: finding(),
    mappings: [],
    ...changes,
  };
}

const nameOf = (id: string) => (id === VIP ? "VIP" : id);

describe("the sentences of a check", () => {
  test("a bot that may do everything has one sentence for each question", () => {
    const lines = linesOf(findings({ mappings: [pair(1, VIP), pair(2, VIP)] }), nameOf);
    expect(lines.map(({ tone }) => tone)).toEqual(["good", "good", "good", "good", "good"]);
    expect(lines.at(-1)).toEqual({
      tone: "good",
      text: "discord.check.pairs",
      values: { smart_count: 1 },
    });
  });

  test("a role above that of the bot is named once, whatever follows it", () => {
    const mappings = [
      pair(1, VIP, "role_above_bot"),
      pair(2, VIP, "role_above_bot"),
      pair(3, ADMIN),
    ];
    expect(linesOf(findings({ mappings }), nameOf).filter(({ tone }) => tone === "bad")).toEqual([
      { tone: "bad", text: "discord.roleProblems.role_above_bot", values: { role: "VIP" } },
    ]);
  });

  test("without the intent there is a warning, since roles are given all the same", () => {
    const [, , , intent] = linesOf(findings({ intent: finding("intent_missing") }), nameOf);
    expect(intent).toEqual({ tone: "warn", text: "discord.problems.intent_missing" });
  });

  test("what was not checked is said once", () => {
    const rest = finding("not_checked");
    const check = findings({
      token: finding("token_refused"),
      guild: rest,
      intent: rest,
      bot_role: rest,
      mappings: [pair(1, VIP, "not_checked")],
    });
    expect(linesOf(check, nameOf)).toEqual([
      { tone: "bad", text: "discord.problems.token_refused" },
      { tone: "neutral", text: "discord.problems.not_checked" },
    ]);
  });
});

test("a role that the server does not have is missing, unless the server was not asked", () => {
  const roles: ServerRole[] = [
    { id: VIP, name: "VIP", color: null, problem: null },
    { id: ADMIN, name: "Admin", color: "#ff0000", problem: "role_above_bot" },
  ];
  expect(problemOf(roles, VIP)).toBeNull();
  expect(problemOf(roles, ADMIN)).toBe("role_above_bot");
  expect(problemOf(roles, "613425648685548009")).toBe("role_missing");
  expect(problemOf(roles, null)).toBeNull();
  expect(problemOf(undefined, "613425648685548009")).toBeNull();
});

test("a pair is taken if another row has it", () => {
  const pairs = [
    { role_id: 1, discord_role_id: VIP },
    { role_id: 1, discord_role_id: null },
  ];
  expect(isTaken(pairs, 1, { role_id: 1, discord_role_id: VIP })).toBe(true);
  expect(isTaken(pairs, 1, { role_id: 1, discord_role_id: ADMIN })).toBe(false);
  expect(isTaken(pairs, 0, { role_id: 1, discord_role_id: VIP })).toBe(false);
});

test("a stored pair is lost once no row has it", () => {
  const stored = [{ role_id: 1, discord_role_id: VIP }];
  expect(hasLost(stored, [...stored, { role_id: null, discord_role_id: null }])).toBe(false);
  expect(hasLost(stored, [{ role_id: 1, discord_role_id: ADMIN }])).toBe(true);
  expect(hasLost([], stored)).toBe(false);
});

test("why a visit failed is told in the language of the reader", () => {
  expect(failureOf("Discord answered with 500.")).toEqual({
    text: "discord.members.errors.answered",
    values: { status: "500" },
  });
  expect(failureOf("Discord cannot be asked: the connection was refused")?.text).toMatch(
    /unreachable$/,
  );
  expect(failureOf("Discord's answer cannot be read.")?.text).toMatch(/unreadable$/);
  expect(failureOf("The service stops.")).toBeNull();
});

test("the invitation asks for the permission to manage roles alone", () => {
  expect(inviteAddress(` ${VIP} `)).toBe(
    `https://discord.com/oauth2/authorize?client_id=${VIP}&scope=bot&permissions=268435456`,
  );
  for (const text of ["", "1234", "0613425648685548000", "not an id of discord"]) {
    expect(inviteAddress(text)).toBeNull();
  }
});

test("the lines of steward.toml are those that are missing", () => {
  const keys = (steam_sign_in: boolean, discord_sign_in: boolean) =>
    configurationLines({ steam_sign_in, discord_sign_in }).map((line) => line.split(" ")[0]);
  expect(keys(true, true)).toEqual([]);
  expect(keys(false, true)).toEqual(["steam-sign-in"]);
  expect(keys(true, false)).toEqual(["discord-client-id", "discord-client-secret-file"]);
  expect(keys(false, false)[0]).toBe("sign-in-return-to");
});
