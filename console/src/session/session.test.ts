// @vitest-environment node
import { expect, test, vi } from "vitest";

vi.stubGlobal("window", { location: { origin: "http://127.0.0.1" } });
const { grants } = await import("./session");

test("a permission covers itself and what is below it", () => {
  const session = {
    permissions: [{ id: 5, name: "admin.users", description: "" }],
    expires_at: "",
    features: { backups: true, steam_sign_in: false, discord_sign_in: false },
  };
  expect(grants(session, "admin.users")).toBe(true);
  expect(grants(session, "admin.users.read")).toBe(true);
  expect(grants(session, "admin.usersx")).toBe(false);
  expect(grants(session, "admin.roles.read")).toBe(false);
  expect(grants(null, "admin.users")).toBe(false);
});
