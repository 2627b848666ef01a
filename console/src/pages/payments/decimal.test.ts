import { expect, test } from "vitest";
import { difference, parseDecimal, plain, sum } from "./decimal";

test("what a person typed becomes exactly this number", () => {
  expect(parseDecimal("9.99")).toBe(9.99);
  expect(parseDecimal(" 1 234,5 ")).toBe(1234.5);
  expect(parseDecimal("007.10")).toBe(7.1);
  expect(parseDecimal("5.")).toBe(5);
  expect(parseDecimal("0")).toBe(0);
  expect(parseDecimal("0.0000000001")).toBe(1e-10);
  expect(parseDecimal("-1,50")).toBe(-1.5);
});

test("what is not a number stays text, which the service refuses", () => {
  for (const typed of ["", "abc", "--1", "1e3", ".5", "1,234.5", "Infinity"]) {
    expect(parseDecimal(typed), typed).toBeNull();
  }
});

test("an amount that would lose digits on the way is refused", () => {
  expect(parseDecimal("9007199254740993")).toBeNull();
  expect(parseDecimal("123456789012.1234")).toBe(123456789012.1234);
});

test("numbers are written without an exponent", () => {
  expect(plain(1e-10)).toBe("0.0000000001");
  expect(plain(2.5e-7)).toBe("0.00000025");
  expect(plain(1e21)).toBe("1000000000000000000000");
  expect(plain(9.99)).toBe("9.99");
});

test("sums are exact where floating-point arithmetic is not", () => {
  expect(0.1 + 0.2).not.toBe(0.3);
  expect(sum([0.1, 0.2])).toBe("0.3");
  expect(sum(Array.from({ length: 1000 }, () => 0.0001))).toBe("0.1");
  expect(sum([999999999999.99, 0.01])).toBe("1000000000000");
  expect(sum([])).toBe("0");
});

test("differences are exact as well", () => {
  expect(difference(0.3, 0.1)).toBe("0.2");
  expect(difference(9.99, 9.99)).toBe("0");
});
