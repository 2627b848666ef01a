import { expect, test } from "vitest";
import { BAN_PLACEHOLDERS, type CommandValues, renderCommand } from "../payments/products/command";
import { usualCommands } from "./commands";

const VALUES: CommandValues = {
  steamId: "76561197960265731",
  discordId: null,
  userId: 0,
  username: "",
  grantId: 0,
  invoiceId: 0,
  banId: 7,
  serverId: 3,
  seconds: 3600,
  expiresUnix: 1_800_000_000,
};

test.each([
  ["css", 'kickid "[U:1:3]" You are banned'],
  ["csgo", 'kickid "STEAM_1:1:1" You are banned'],
  ["counterstrike2", "css_steward_kick 76561197960265731"],
  ["rust", 'kick 76561197960265731 "You are banned"'],
  ["insurgencysandstorm", 'kick 76561197960265731 "You are banned"'],
  ["ase", "KickPlayer 76561197960265731"],
  ["postscriptum", 'AdminKick "76561197960265731" You are banned'],
  ["squad", 'AdminKick "76561197960265731" You are banned'],
])("the usual kick of %s has the SteamID in the spelling of the game", (game, sent) => {
  const template = usualCommands(game)?.kick_command ?? "";
  expect(renderCommand(template, VALUES, BAN_PLACEHOLDERS)).toEqual({
    text: sent,
    missing: [],
    problem: null,
  });
});

test("a game without a command for a SteamID has none", () => {
  expect(usualCommands("minecraft")).toBeNull();
  expect(usualCommands("constructor")).toBeNull();
  expect(usualCommands(undefined)).toBeNull();
});
