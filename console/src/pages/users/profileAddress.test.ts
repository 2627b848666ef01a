import { expect, test } from "vitest";
import { profileAddress } from "./profileAddress";

test("a profile is at its own address, or at the network's", () => {
  expect(profileAddress("x", "https://example.com/anna", "")).toBe("https://example.com/anna");
  expect(profileAddress("vk", "a/b", "https://vk.com/{handle}")).toBe("https://vk.com/a%2Fb");
  expect(profileAddress("vk", "anna", "")).toBeNull();
});

test("a SteamID in any spelling leads to the profile, a chosen name to its own address", () => {
  const template = "https://steamcommunity.com/id/{handle}";
  for (const profile of ["76561197969249708", "STEAM_0:0:4491990", "[U:1:8983980]"]) {
    expect(profileAddress("steam", profile, template)).toBe(
      "https://steamcommunity.com/profiles/76561197969249708",
    );
  }
  expect(profileAddress("steam", "gordon", template)).toBe("https://steamcommunity.com/id/gordon");
});
