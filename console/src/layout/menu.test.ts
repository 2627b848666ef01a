import { expect, test } from "vitest";
import { neededFor } from "./menu";

test("a page needs what its operations need", () => {
  expect(neededFor("/roles")).toBe("admin.roles.read");
  expect(neededFor("/roles/7")).toBe("admin.roles.read");
  expect(neededFor("/roles/create")).toBe("admin.roles");
  expect(neededFor("/operators/create")).toBe("admin.api-keys");
  expect(neededFor("/statistics")).toBe("admin.payments.read");
});

test("the dashboard, the account and unknown addresses are open to everybody", () => {
  expect(neededFor("/")).toBeUndefined();
  expect(neededFor("/account")).toBeUndefined();
  expect(neededFor("/nothing")).toBeUndefined();
});
