import { describe, expect, test } from "vitest";
import type { Step } from "../products/product";
import { failureText, type Grant, type GrantStep } from "./grant";
import { takingBack } from "./takingBack";

function step(kind: GrantStep["kind"], state: GrantStep["state"], server: number | null = null) {
  const rest = { attempts: 0, next_attempt_at: null, error: null, reply: null, done_at: null };
  return { id: 1, kind, state, server_id: server, ...rest };
}

function grantOf(steps: GrantStep[], server: number | null = null): Grant {
  return {
    id: 1,
    product_id: 1,
    product_name: "VIP",
    user_id: 1,
    invoice_id: 1,
    server_id: server,
    state: "done",
    created_at: "2026-03-02T00:00:00Z",
    finished_at: null,
    steps,
  };
}

const STEPS: Step[] = [
  { kind: "role", role_id: 4, seconds: 2_592_000 },
  { kind: "rcon", server_ids: [1, 2], command: "vip", undo_command: "unvip", repeatable: false },
  { kind: "rcon", server_ids: [1], command: "say", undo_command: null, repeatable: false },
  { kind: "plugin", server_ids: [1], payload: {} },
];

const product = (updated_at = "2026-03-01T00:00:00Z", choose_server = false) => ({
  steps: STEPS,
  choose_server,
  updated_at,
});

const GIVEN = [
  step("role", "done"),
  step("rcon", "done", 1),
  step("rcon", "pending", 2),
  step("rcon", "uncertain", 1),
  step("plugin", "done", 1),
];

describe("what taking back a grant does", () => {
  test("follows from the product that it was made of", () => {
    expect(takingBack(grantOf(GIVEN), product())).toEqual({
      back: [
        { kind: "role", roleId: 4 },
        { kind: "undo", count: 1 },
        { kind: "plugin", count: 1 },
        { kind: "cancel", count: 1 },
      ],
      stays: [{ kind: "usedTime" }, { kind: "kept", count: 1 }],
    });
  });

  test("is only known in part if the product was changed, or cannot be read", () => {
    const expected = {
      back: [
        { kind: "anyRole" },
        { kind: "anyUndo", count: 2 },
        { kind: "plugin", count: 1 },
        { kind: "cancel", count: 1 },
      ],
      stays: [{ kind: "usedTime" }],
    };
    expect(takingBack(grantOf(GIVEN), product("2026-03-03T00:00:00Z"))).toEqual(expected);
    expect(takingBack(grantOf(GIVEN), null)).toEqual(expected);
  });

  test("concerns the chosen server only", () => {
    const steps = [step("role", "done"), step("rcon", "done", 2)];
    const { back, stays } = takingBack(grantOf(steps, 2), product(undefined, true));
    expect(back).toContainEqual({ kind: "undo", count: 1 });
    expect(stays).toEqual([{ kind: "usedTime" }]);
  });

  test("is nothing for what failed", () => {
    const steps = [step("role", "failed")];
    expect(takingBack(grantOf(steps), null)).toEqual({ back: [], stays: [] });
  });
});

test("the reasons of the service have texts in every language", () => {
  expect(failureText("The user has linked no Steam profile.")).toBe("grants.errors.steam");
  expect(failureText("Something new.")).toBeNull();
});
