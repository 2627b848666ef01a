import { expect, test } from "vitest";
import type { Translate } from "../i18n";
import { Format } from "../i18n/format";
import { translate } from "../i18n/translate";
import { inLanguage } from "../i18n/types";
import { roles } from "../pages/roles/texts";
import { shortTermText, termText } from "./term";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const DAY = 86_400;

/** The term of a role that expires after so many seconds. */
function term(locale: "en-GB" | "ru", seconds: number, text = termText): string {
  const format = new Format(locale);
  const messages = inLanguage({ roles }, locale === "ru" ? "ru" : "en");
  const t: Translate = (key, values = {}) => translate(messages, format, key, values);
  return text(t, format, new Date(NOW + seconds * 1000).toISOString(), NOW);
}

test.each([
  [15 * DAY, "until 3 December (15 days)", "до 3 декабря (15 дней)"],
  [4 * DAY, "until 22 November (4 days)", "до 22 ноября (4 дня)"],
  [21 * DAY, "until 9 December (21 days)", "до 9 декабря (21 день)"],
  [60 * DAY, "until 17 January 2027 (60 days)", "до 17 января 2027 г. (60 дней)"],
  [730 * DAY, "until 17 November 2028 (2 years)", "до 17 ноября 2028 г. (2 года)"],
])("a role of %s seconds is held %s", (seconds, en, ru) => {
  expect(term("en-GB", seconds)).toBe(en);
  expect(term("ru", seconds)).toBe(ru);
});

test("a role that expires soon says so in words", () => {
  expect(term("en-GB", 2 * DAY)).toBe("expires soon: 20 November (2 days)");
  expect(term("ru", 2 * DAY)).toBe("скоро истекает: 20 ноября (2 дня)");
});

test("the last day has the hour, and the last minute counts as one", () => {
  const hour = /^expires soon: 18 November (at )?\d\d:\d\d \(5 hours\)$/;
  expect(term("en-GB", 5 * 3600)).toMatch(hour);
  expect(term("ru", 300)).toMatch(/^скоро истекает: 18 ноября (в )?\d\d:\d\d \(5 минут\)$/);
  expect(term("en-GB", -5)).toMatch(/\(1 minute\)$/);
});

test("tables have fewer words", () => {
  expect(term("en-GB", 15 * DAY, shortTermText)).toBe("until 3 Dec");
  expect(term("ru", 15 * DAY, shortTermText)).toBe("до 3 дек.");
  expect(term("en-GB", 2 * DAY, shortTermText)).toBe("expires in 2 days");
  expect(term("ru", 5 * 3600, shortTermText)).toBe("истекает через 5 часов");
});

test("the seconds that a request takes do not make a day less", () => {
  expect(term("en-GB", 30 * DAY - 5)).toContain("(30 days)");
  expect(term("en-GB", DAY - 5)).toContain("(1 day)");
});
