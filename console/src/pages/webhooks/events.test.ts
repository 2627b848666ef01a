import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { EVENTS, has, others, selectAction, selectResource } from "./events";

const API_DESIGN = fileURLToPath(new URL("../../../../docs/api-design.md", import.meta.url));

/** The table of actions in the section about the audit log. */
function documented(): Record<string, string[]> {
  const section = readFileSync(API_DESIGN, "utf8").split("## Audit log")[1] ?? "";
  const table = section.split("| resource | actions |")[1]?.split("\n\n")[0] ?? "";
  const found: Record<string, string[]> = {};
  for (const [, names = "", text = ""] of table.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|$/gm)) {
    const actions = [...text.matchAll(/`(\w+)`/g)]
      .map(([, action = ""]) => action)
      .filter((action) => !["resource_id", "after"].includes(action));
    for (const [, resource = ""] of names.matchAll(/`(\w+)`/g)) {
      found[resource] = actions;
    }
  }
  return found;
}

test("every documented action can be chosen, and no other", () => {
  const sorted = (table: Record<string, readonly string[]>) =>
    Object.fromEntries(
      Object.entries(table)
        .map(([resource, actions]) => [resource, [...actions].sort()] as const)
        .sort(([a], [b]) => a.localeCompare(b)),
    );
  expect(sorted(EVENTS)).toEqual(sorted(documented()));
});

describe("choosing events", () => {
  test("all of a resource replaces its actions", () => {
    expect(selectResource(["roles.create", "roles.delete", "users.*"], "roles", true)).toEqual([
      "users.*",
      "roles.*",
    ]);
    expect(selectResource(["roles.*", "users.block"], "roles", false)).toEqual(["users.block"]);
  });

  test("taking one action away from all of a resource leaves the others", () => {
    expect(selectAction(["roles.*"], "roles", "delete", false)).toEqual([
      "roles.create",
      "roles.update",
      "roles.permissions",
    ]);
  });

  test("hyphens mean the same as underscores", () => {
    expect(has(["payment-invoices.*"], "payment_invoices.*")).toBe(true);
    expect(selectResource(["promo-codes.create"], "promo_codes", false)).toEqual([]);
  });

  test("patterns that are not offered are not lost", () => {
    expect(others(["*", "users.*", "users.dance", "payment-invoices.fail"])).toEqual([
      "users.dance",
    ]);
  });
});
