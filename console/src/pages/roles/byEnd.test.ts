import { expect, test } from "vitest";
import { byEnd } from "./byEnd";

test("members whose role expires next come first, those who keep it last, others as they were", () => {
  const members = [
    { id: 1, expires_at: null },
    { id: 2, expires_at: "2027-01-01T00:00:00Z" },
    { id: 3, expires_at: null },
    { id: 4, expires_at: "2026-12-01T00:00:00Z" },
  ];
  expect(byEnd(members).map(({ id }) => id)).toEqual([4, 2, 1, 3]);
});
