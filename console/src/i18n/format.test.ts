import { describe, expect, test } from "vitest";
import { Format } from "./format";

const en = new Format("en");
const ru = new Format("ru");

describe("relative", () => {
  const now = Date.parse("2026-11-16T12:00:00Z");
  test.each([
    ["2026-11-16T11:55:00Z", "5 minutes ago"],
    ["2026-11-16T12:00:00Z", "now"],
    ["2026-11-18T12:00:00Z", "in 2 days"],
    ["2025-11-01T12:00:00Z", "last year"],
  ])("%s is %s", (at, text) => expect(en.relative(at, now)).toBe(text));

  test("Russian has three plural forms", () => {
    expect(ru.relative("2026-11-16T11:59:00Z", now)).toBe("1 минуту назад");
    expect(ru.relative("2026-11-16T11:58:00Z", now)).toBe("2 минуты назад");
    expect(ru.relative("2026-11-16T11:55:00Z", now)).toBe("5 минут назад");
  });
});

test("money of a currency that browsers do not know keeps its code", () => {
  expect(en.money(12.5, "USD")).toBe("$12.50");
  expect(en.money(12.5, "COINS")).toBe("12.50 COINS");
});

test("money keeps every place that it has", () => {
  expect(en.money(9.9999, "EUR")).toBe("€9.9999");
  expect(en.money(9.9999, "P1X")).toBe("9.9999 P1X");
  expect(en.money("9007199254740993.01", "EUR")).toBe("€9,007,199,254,740,993.01");
});

test("sizes", () => {
  expect(en.bytes(0)).toBe("0 byte");
  expect(en.bytes(1_536_000)).toBe("1.5 MB");
});

test("spans", () => {
  expect(en.span(3900)).toBe("1 hr 5 min");
  expect(en.span(59)).toBe("59 sec");
});
