import { expect, test } from "vitest";
import { countSince, PAGE_SIZE } from "./newUsers";

/** As many users as minutes before the end of the day, one a minute. */
function community(size: number) {
  const end = Date.parse("2026-03-02T00:00:00Z");
  let reads = 0;
  return {
    reads: () => reads,
    at: (position: number) => new Date(end - position * 60_000).toISOString(),
    read: (page: number) => {
      reads += 1;
      const first = (page - 1) * PAGE_SIZE;
      const count = Math.max(0, Math.min(PAGE_SIZE, size - first));
      const created = Array.from({ length: count }, (_, index) =>
        new Date(end - (first + index) * 60_000).toISOString(),
      );
      return Promise.resolve({ created, total: size });
    },
  };
}

test.each([
  [0, 0],
  [5, 0],
  [5, 5],
  [250, 99],
  [250, 100],
  [250, 101],
  [250, 200],
  [300, 300],
  [12_345, 6789],
])("of %i users, %i are new", async (size, expected) => {
  const users = community(size);
  const moment = users.at(expected - 1);
  expect(await countSince(moment, users.read)).toBe(expected);
});

test("a million new users take few requests", async () => {
  const users = community(1_000_000);
  expect(await countSince(users.at(999_999), users.read)).toBe(1_000_000);
  expect(users.reads()).toBeLessThan(30);
});
