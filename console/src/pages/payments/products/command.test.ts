import { describe, expect, test } from "vitest";
import {
  BAN_PLACEHOLDERS,
  type CommandValues,
  insertPlaceholder,
  PLACEHOLDERS,
  renderCommand,
} from "./command";

const VALUES: CommandValues = {
  steamId: "76561197960265731",
  discordId: "123456789012345678",
  userId: 7,
  username: "Gordon",
  grantId: 11,
  invoiceId: 12,
  banId: 13,
  serverId: 3,
  seconds: 2_592_000,
  expiresUnix: 1_800_000_000,
};

const render = (template: string, changes: Partial<CommandValues> = {}) =>
  renderCommand(template, { ...VALUES, ...changes });

describe("a command", () => {
  test("has a value for each placeholder", () => {
    const template = PLACEHOLDERS.map((name) => `"{${name}}"`).join(" ");
    expect(render(template)).toEqual({
      text: '"76561197960265731" "STEAM_1:1:1" "[U:1:3]" "3" "123456789012345678" "7" "Gordon" "11" "12" "3" "2592000" "30" "1800000000"',
      missing: [],
      problem: null,
    });
  });

  test("that carries out a ban has the ban, and no name", () => {
    const rendered = (template: string) => renderCommand(template, VALUES, BAN_PLACEHOLDERS);
    expect(rendered("kick {steam_id64} {ban_id}").text).toBe("kick 76561197960265731 13");
    expect(rendered("kick {username}").problem).toEqual({ kind: "unknown", name: "username" });
    expect(render("kick {ban_id}").problem).toEqual({ kind: "unknown", name: "ban_id" });
  });

  test("has braces where they are doubled", () => {
    expect(render("say {{{user_id}}} {{}}").text).toBe("say {7} {}");
  });

  test("has only harmless characters in the name, 32 at most", () => {
    expect(render("say {username}", { username: 'Ann; quit "Я😀' }).text).toBe("say Ann__quit____");
    expect(render("{username}", { username: "x".repeat(40) }).text).toBe("x".repeat(32));
    expect(render("{username}", { username: "" }).text).toBe("_");
  });

  test("rounds days down", () => {
    expect(render("{days} {seconds}", { seconds: 86_399 }).text).toBe("0 86399");
  });

  test("names the profiles that are missing once", () => {
    const none = { steamId: null, discordId: null };
    expect(render('add {steam_id64} "{steam_id2}" {discord_id}', none)).toEqual({
      text: 'add {steam_id64} "{steam_id2}" {discord_id}',
      missing: ["steam", "discord"],
      problem: null,
    });
  });
});

describe("a command is refused", () => {
  test.each(["a {", "a }", "a {user_id", "{{user_id}"])("with a lone brace: %s", (template) => {
    expect(render(template).problem).toEqual({ kind: "loneBrace" });
  });

  test("with a placeholder that does not exist", () => {
    expect(render("kick {name}").problem).toEqual({ kind: "unknown", name: "name" });
  });

  test.each(["add {steam_id2}", 'add "{steam_id2}', 'say "a" {steam_id2} "b"'])(
    "with colons outside of double quotes: %s",
    (template) => {
      expect(render(template).problem).toEqual({ kind: "unquoted", name: "steam_id2" });
    },
  );
});

describe("a placeholder is inserted", () => {
  test("where the caret is, instead of what is selected", () => {
    expect(insertPlaceholder("kick XX now", 5, 7, "user_id")).toEqual({
      command: "kick {user_id} now",
      caret: 14,
    });
  });

  test("in double quotes if it needs them and has none", () => {
    expect(insertPlaceholder("add ", 4, 4, "steam_id2").command).toBe('add "{steam_id2}"');
    expect(insertPlaceholder('add ""', 5, 5, "steam_id3").command).toBe('add "{steam_id3}"');
    expect(insertPlaceholder("add ", 4, 4, "steam_id64").command).toBe("add {steam_id64}");
  });
});
