import { expect, test } from "vitest";
import { createPath, isAddressAlone, newBan, startOf } from "./start";

const begin = (path: string) => startOf(new URL(path, "http://local").searchParams);

test("the form begins with the player of its address", () => {
  expect(begin(createPath({}))).toMatchObject({ way: "steam", steam_id64: "", kind: "ban" });
  const steam = createPath({ q: "STEAM_1:0:4491990", kind: "mute", server_id: 3 });
  expect(begin(steam)).toMatchObject({
    way: "steam",
    steam_id64: "STEAM_1:0:4491990",
    kind: "mute",
    server_ids: [3],
  });
  expect(begin("/bans/create?q=203.0.113.0/24")).toMatchObject({
    way: "steam",
    ip_range: "203.0.113.0/24",
    steam_id64: "",
  });
  const user = createPath({ user_id: 7, player_name: "Gordon" });
  expect(begin(user)).toMatchObject({ way: "user", user_id: 7, player_name: "Gordon" });
  expect(begin("/bans/create?kind=hug&user_id=x")).toMatchObject({ way: "steam", kind: "ban" });
});

const FORM = { ...begin("/bans/create"), reason: "Cheating", steam_id64: "[U:1:8983980]" };

test("a ban names the player in one way, with a length from now", () => {
  const ban = newBan({ ...FORM, user_id: 7 });
  expect(ban).toMatchObject({ steam_id64: "76561197969249708", seconds: 604_800, kick: true });
  for (const absent of ["way", "ip_range", "user_id", "expires_at", "length"]) {
    expect(ban).not.toHaveProperty(absent);
  }
});

test("an address may be given with a SteamID, with a user, and alone", () => {
  const ip_range = " 203.0.113.7 ";
  expect(newBan({ ...FORM, ip_range })).toMatchObject({
    steam_id64: "76561197969249708",
    ip_range: "203.0.113.7",
    kick: true,
  });
  const user = newBan({ ...FORM, way: "user", user_id: 7, ip_range });
  expect(user).toMatchObject({ user_id: 7, ip_range: "203.0.113.7", kick: true });
  expect(user).not.toHaveProperty("steam_id64");
  const alone = newBan({ ...FORM, steam_id64: " ", ip_range });
  expect(alone).toMatchObject({ ip_range: "203.0.113.7" });
  expect(alone).not.toHaveProperty("steam_id64");
  expect(isAddressAlone({ ...FORM, ip_range })).toBe(false);
  expect(isAddressAlone({ ...FORM, way: "user", user_id: null, ip_range })).toBe(true);
  expect(isAddressAlone({ ...FORM, steam_id64: "" })).toBe(false);
});

test("what is no SteamID is sent as it is, so that the service says so", () => {
  expect(newBan({ ...FORM, steam_id64: " gordon " })).toMatchObject({ steam_id64: "gordon" });
});

test("a chosen moment and no end are sent as they are", () => {
  const end = "2026-12-01T12:00:00Z";
  expect(newBan({ ...FORM, length: null, expires_at: end })).toMatchObject({ expires_at: end });
  expect(newBan({ ...FORM, length: null, expires_at: null })).toMatchObject({ expires_at: null });
});

test("only bans of a player kick", () => {
  expect(newBan({ ...FORM, kick: false })).toMatchObject({ kick: false });
  expect(newBan({ ...FORM, kind: "mute" })).not.toHaveProperty("kick");
  const address = { ...FORM, steam_id64: "", ip_range: "203.0.113.7" };
  expect(newBan(address)).not.toHaveProperty("kick");
});
