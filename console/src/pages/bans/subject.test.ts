import { expect, test } from "vitest";
import { isName, queryOf, unnamed } from "./subject";

const STEAM = { steam_id64: "76561197969249708" };

test.each([
  ["76561197969249708", STEAM],
  ["STEAM_0:0:4491990", STEAM],
  [" [U:1:8983980] ", STEAM],
  ["https://steamcommunity.com/profiles/76561197969249708/", STEAM],
  ["203.0.113.7", { ip: "203.0.113.7" }],
  ["203.0.113.0/24", { ip: "203.0.113.0" }],
  ["2001:db8::1", { ip: "2001:db8::1" }],
  ["::", { ip: "::" }],
  ["2001:DB8::/32", { ip: "2001:DB8::" }],
  ["::ffff:203.0.113.7", { ip: "::ffff:203.0.113.7" }],
  ["gordon", null],
  ["", null],
  ["203.0.113", null],
  ["play.example.org:27015", null],
  ["https://steamcommunity.com/id/gordon", null],
])("%j asks for %j", (text, query) => {
  expect(queryOf(text)).toEqual(query);
});

test("each SteamID of a ban without a user is looked up once", () => {
  const ban = (steam_id64: string | null, user_id: number | null) => ({ steam_id64, user_id });
  const bans = [ban("2", null), ban("1", null), ban("2", null), ban("3", 7), ban(null, null)];
  expect(unnamed(bans)).toEqual(["2", "1"]);
});

test("what is neither a SteamID nor an address is a name", () => {
  expect(["CrazyAnchor", "203.0.113.x", "76561"].map(isName)).toEqual([true, true, true]);
  expect(["STEAM_1:0:4491990", "203.0.113.0/24", undefined].map(isName)).toEqual([
    false,
    false,
    false,
  ]);
});
