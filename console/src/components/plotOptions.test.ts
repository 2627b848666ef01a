import { expect, test, vi } from "vitest";

vi.mock("uplot", () => ({ default: {} }));
const { alone } = await import("./plotOptions");

test("values between gaps have no line, so they are drawn as points", () => {
  expect(alone([null, 3, null, 4, 5, null])).toEqual([1]);
  expect(alone([7])).toEqual([0]);
  expect(alone([1, 2])).toEqual([]);
});
