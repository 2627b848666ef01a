import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Entry, roleOf, sentence, subjectOf } from "./sentence";

const API_DESIGN = fileURLToPath(new URL("../../../../docs/api-design.md", import.meta.url));

function entry(action: string, fields: Partial<Entry> = {}): Entry {
  return {
    id: 1,
    at: "2026-03-01T12:00:00Z",
    key_id: 1,
    key_name: "admin",
    user_id: null,
    user_name: null,
    request_id: "1",
    ip: null,
    action,
    resource: action.split(".")[0] ?? "",
    resource_id: 7,
    before: {},
    after: {},
    ...fields,
  };
}

describe("sentences", () => {
  test("every documented action has one", () => {
    const log = readFileSync(API_DESIGN, "utf8").split("\n## Audit log\n")[1] ?? "";
    const table = log.split("| resource | actions |")[1]?.split("\n\n")[0] ?? "";
    const documented = [...table.matchAll(/^\| (`[a-z_`, ]+`) \| (.+) \|$/gm)].flatMap(
      ([, resources = "", kinds = ""]) =>
        words(resources).flatMap((resource) =>
          words(kinds)
            .filter((kind) => !NO_ACTIONS.includes(kind))
            .map((kind) => `${resource}.${kind}`),
        ),
    );
    expect(documented.length).toBeGreaterThan(70);
    expect(documented.filter((action) => isOther(entry(action)))).toEqual([]);
  });

  test("an action of a later version is named", () => {
    expect(isOther(entry("users.promote"))).toBe(true);
    expect(isOther(entry("constructor.name"))).toBe(true);
  });

  test("the fields decide where an action has several meanings", () => {
    const on = entry("servers.toggle", { after: { enabled: true } });
    expect(sentence(on).key).toBe("audit.cases.serverEnabled");
    const unpaid = entry("payment_invoices.status", { after: { is_paid: false } });
    expect(sentence(unpaid).key).toBe("audit.cases.invoiceUnpaid");
    const role = { role_id: 2, role_name: "VIP" };
    const given = entry("users.set_role", { after: role });
    expect(sentence(given).key).toBe("audit.actions.users.set_role");
    const changed = entry("users.set_role", { before: role, after: role });
    expect(sentence(changed).key).toBe("audit.cases.roleEnd");
    const mute = entry("bans.create", { after: { kind: "mute" } });
    expect(sentence(mute).key).toBe("audit.cases.muted");
    expect(sentence(entry("bans.lift"), "mute").key).toBe("audit.cases.unmuted");
    expect(sentence(entry("bans.lift"), "ban").key).toBe("audit.actions.bans.lift");
    const ban = entry("bans.create", { after: { kind: "ban" } });
    expect(sentence(ban).key).toBe("audit.actions.bans.create");
    expect(sentence(entry("bans.lift_all", { after: { ids: [4, 5, 6] } })).count).toBe(3);
    const users = { 5: { status: "blocked", block: { reason: "" } }, 6: { block: { reason: "" } } };
    expect(sentence(entry("users.bulk", { after: { users } }))).toEqual({
      key: "audit.cases.usersBlocked",
      count: 2,
    });
  });
});

test("an entry about a role of a user names the role, also after its end", () => {
  expect(roleOf(entry("users.set_role", { after: { role_name: "VIP" } }))).toBe("VIP");
  expect(roleOf(entry("users.role_expired", { before: { role_name: "VIP" } }))).toBe("VIP");
  expect(roleOf(entry("users.update"))).toBeNull();
});

describe("subjects", () => {
  test("have the name at that time, and a link while they exist", () => {
    const renamed = entry("roles.update", { before: { name: "Old" }, after: { name: "New" } });
    expect(subjectOf(renamed)).toMatchObject({ name: "New", path: "/roles/7" });
    const deleted = entry("roles.delete", { before: { name: "Old" } });
    expect(subjectOf(deleted)).toMatchObject({ name: "Old", path: null });
  });

  test("of bans are called by what is known of the player", () => {
    const ban = { player_name: "", steam_id64: "76561197969249708", ip_range: null };
    expect(subjectOf(entry("bans.create", { after: ban }))).toMatchObject({
      name: "76561197969249708",
      path: "/bans/7",
    });
    const named = entry("bans.update", { before: { player_name: "Gordon" } });
    expect(subjectOf(named).name).toBe("Gordon");
  });

  test("masked values are no names", () => {
    const erased = entry("users.create", { after: { username: "***" } });
    expect(subjectOf(erased)).toMatchObject({ name: null, resource: "users", id: 7 });
  });

  test("of sign-ins are users, if the login belongs to one", () => {
    const session = entry("sessions.create", { after: { user_id: 3 } });
    expect(subjectOf(session)).toMatchObject({ resource: "users", id: 3 });
    expect(subjectOf(entry("sessions.fail", { after: { user_id: null } })).id).toBeNull();
  });
});

/** Words in code type of the table that are no actions. */
const NO_ACTIONS = ["resource_id", "after"];

function words(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, word = ""]) => word);
}

function isOther(of: Entry): boolean {
  return sentence(of).key === "audit.cases.other";
}
