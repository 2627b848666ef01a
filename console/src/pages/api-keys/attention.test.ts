import { expect, test } from "vitest";
import { stateOf } from "./attention";

const NOW = Date.parse("2026-06-15T12:00:00Z");
const key = { active: true, created_at: "2026-01-01T00:00:00Z" };
const use = { expires_at: null, last_used_at: "2026-06-15T11:00:00Z" };

test("a key that is in use needs no attention", () => {
  expect(stateOf(key, use, NOW)).toBe("active");
  expect(stateOf({ ...key, active: false }, use, NOW)).toBe("inactive");
  expect(stateOf(key, undefined, NOW)).toBe("active");
});

test("a key that expires within two weeks stands out, and one that has expired", () => {
  expect(stateOf(key, { ...use, expires_at: "2026-06-29T11:00:00Z" }, NOW)).toBe("expiresSoon");
  expect(stateOf(key, { ...use, expires_at: "2026-06-30T12:00:00Z" }, NOW)).toBe("active");
  expect(stateOf(key, { ...use, expires_at: "2026-06-15T12:00:00Z" }, NOW)).toBe("expired");
});

test("a key is unused after 90 days, or a week after it was created", () => {
  expect(stateOf(key, { ...use, last_used_at: "2026-03-01T00:00:00Z" }, NOW)).toBe("unused");
  expect(stateOf(key, { ...use, last_used_at: null }, NOW)).toBe("unused");
  const isNew = { active: true, created_at: "2026-06-14T00:00:00Z" };
  expect(stateOf(isNew, { ...use, last_used_at: null }, NOW)).toBe("active");
});
