import { expect, test } from "vitest";
import { Attempts } from "./attempts";

test("the same write keeps its key until it is answered", () => {
  const attempts = new Attempts();
  const first = attempts.key("POST /api/roles {}");
  expect(attempts.key("POST /api/roles {}")).toBe(first);
  expect(attempts.key("POST /api/roles {1}")).not.toBe(first);
  attempts.answered("POST /api/roles {}", 201);
  expect(attempts.key("POST /api/roles {}")).not.toBe(first);
});

test("a write keeps its key if it is unknown whether it was carried out", () => {
  const attempts = new Attempts();
  const first = attempts.key("POST /api/roles {}");
  attempts.answered("POST /api/roles {}", 503);
  expect(attempts.key("POST /api/roles {}")).toBe(first);
  attempts.answered("POST /api/roles {}", 422);
  expect(attempts.key("POST /api/roles {}")).not.toBe(first);
});
