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

test("the beginning of a period among a million users takes few requests", async () => {
  for (const expected of [100, 4321, 87_654, 999_901, 1_000_000]) {
    const users = community(1_000_000);
    expect(await countSince(users.at(expected - 1), users.read)).toBe(expected);
    expect(users.reads()).toBeLessThan(8);
  }
});

test("users who did not come evenly take more requests, but not many", async () => {
  // Half of all users came in the last hour, half of the others in the two hours before, and so on.
  const size = 100_000;
  const end = Date.parse("2026-03-02T00:00:00Z");
  const at = (position: number) => end - (3_600_000 * size) / (size - position);
  let reads = 0;
  const read = (page: number) => {
    reads += 1;
    const first = (page - 1) * PAGE_SIZE;
    const positions = Array.from({ length: PAGE_SIZE }, (_, index) => first + index);
    const created = positions.map((position) => new Date(at(position)).toISOString());
    return Promise.resolve({ created, total: size });
  };
  for (const expected of [1234, 50_000, 99_000]) {
    reads = 0;
    const moment = new Date(at(expected - 1)).toISOString();
    expect(await countSince(moment, read)).toBe(expected);
    expect(reads).toBeLessThan(30);
  }
});
