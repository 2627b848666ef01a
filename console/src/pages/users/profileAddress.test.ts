import { expect, test } from "vitest";
import { profileAddress } from "./profileAddress";

test("a profile is at its own address, or at the network's", () => {
  expect(profileAddress("https://example.com/anna", "")).toBe("https://example.com/anna");
  expect(profileAddress("a/b", "https://vk.com/{handle}")).toBe("https://vk.com/a%2Fb");
  expect(profileAddress("anna", "")).toBeNull();
});
