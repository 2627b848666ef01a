import { expect, test } from "vitest";
import { slugOf } from "./slug";

test("words are joined with hyphens", () => {
  expect(slugOf("How to connect?")).toBe("how-to-connect");
  expect(slugOf("  FAQ / Help  ")).toBe("faq-help");
});

test("Cyrillic letters are written in Latin ones, and accents are dropped", () => {
  expect(slugOf("Правила сервера")).toBe("pravila-servera");
  expect(slugOf("Ещё объявления")).toBe("eshche-obyavleniya");
  expect(slugOf("Über uns")).toBe("uber-uns");
});

test("a title without usable letters gives no slug", () => {
  expect(slugOf("???")).toBe("");
  expect(slugOf("規則")).toBe("");
});

test("a slug is not longer than the service accepts", () => {
  expect(slugOf("я".repeat(300)).length).toBeLessThanOrEqual(255);
});
