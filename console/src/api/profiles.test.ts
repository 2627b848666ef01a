import { expect, test } from "vitest";
import { discordId, isVanity, profilesOf, steamId } from "./profiles";

const ID = "76561197969249708";

test.each([
  ID,
  ` ${ID} `,
  "STEAM_0:0:4491990",
  "STEAM_1:0:4491990",
  "steam_0:0:4491990",
  "[U:1:8983980]",
  "U:1:8983980",
  `https://steamcommunity.com/profiles/${ID}`,
  `https://steamcommunity.com/profiles/${ID}/`,
  `http://www.steamcommunity.com/profiles/${ID}/inventory?a=b`,
  `steamcommunity.com/profiles/${ID}`,
])("%s is a SteamID", (text) => {
  expect(steamId(text)).toBe(ID);
});

test.each([
  "",
  "gordon",
  "8983980",
  // Below the first account, and above the last one.
  "76561197960265727",
  "76561202255233024",
  "STEAM_0:2:4491990",
  "STEAM_0:0:4294967296",
  "[U:1:4294967296]",
  "[G:1:8983980]",
  "STEAM_ID_PENDING",
  "https://example.com/profiles/76561197969249708",
])("%j is not a SteamID", (text) => {
  expect(steamId(text)).toBeNull();
});

test("a Discord id is read from a mention and from the address of a profile", () => {
  const id = "80351110224678912";
  for (const text of [id, `<@${id}>`, `<@!${id}>`, `https://discord.com/users/${id}`]) {
    expect(discordId(text), text).toBe(id);
  }
  for (const text of ["8035111022467891", "803511102246789123456", "https://discord.gg/abc"]) {
    expect(discordId(text), text).toBeNull();
  }
});

test("17 digits may be an id of Steam or of Discord, and a name is neither", () => {
  expect(profilesOf(ID).map(({ network }) => network)).toEqual(["steam", "discord"]);
  expect(profilesOf("80351110224678912").map(({ network }) => network)).toEqual(["discord"]);
  expect(profilesOf("https://steamcommunity.com/id/gordon/")[0]?.values[0]).toBe("gordon");
  expect(profilesOf("gordon")).toEqual([]);
});

test("the address of a profile with a name in it is recognised", () => {
  expect(isVanity("https://steamcommunity.com/id/gordon/")).toBe(true);
  expect(isVanity("steamcommunity.com/id/gordon")).toBe(true);
  expect(isVanity("https://steamcommunity.com/profiles/76561197969249708")).toBe(false);
});
