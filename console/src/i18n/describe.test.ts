import { beforeAll, expect, test, vi } from "vitest";
import { ApiError } from "../api/error";
import { Format } from "./format";
import type { Translate } from "./index";

// The language is chosen by the browser's, which tests do not have.
vi.stubGlobal("navigator", { language: "en", languages: [] });
const { describeError } = await import("./describe");
const { i18nProvider } = await import("./provider");

const t: Translate = (key, values) => i18nProvider.translate(key, values);
const english = new Format("en");

function failed(
  status: number,
  code: ApiError["code"],
  more: Partial<ApiError["body"]> = {},
  after = null as number | null,
) {
  return new ApiError(status, { code, message: "The message.", request_id: "R1", ...more }, after);
}

beforeAll(() => i18nProvider.changeLocale("en"));

test.each([
  [failed(409, "user_has_invoices"), /^This user has invoices/],
  [failed(503, "busy"), /in a moment\. \(Request R1\)$/],
  [failed(500, "internal_error"), /\(Request R1\)$/],
  [failed(403, "two_factor_required"), /Set one up/],
  [failed(422, "two_factor_required"), /recovery code/],
  [
    failed(403, "missing_permission", {
      message: "This operation needs the permission admin.api-keys.read or admin.servers.rcon.",
    }),
    /the permission API keys and operators: Read \/ Game servers: Run commands\./,
  ],
  [
    failed(403, "missing_permission", {
      message: "This operation needs a key that has at least one permission.",
    }),
    /^You lack/,
  ],
  [
    failed(403, "user_blocked", { reason: "Spam", until: "2026-11-16T10:00:00Z" }),
    /Reason: Spam\. Until Nov 16, 2026/,
  ],
  [failed(429, "too_many_attempts", {}, 65), /sign in\. Try again in 1 min\.$/],
  // Of a later version of the service.
  [failed(418, "brand_new" as ApiError["code"]), /^The message\.$/],
  [failed(502, "unknown", { message: "502 Bad Gateway" }), /^The service cannot be reached/],
  [failed(404, "unknown"), /^There is nothing/],
  [new TypeError("Failed to fetch"), /^The service cannot be reached/],
  [new TypeError("x is undefined"), /^x is undefined$/],
  [new Error("Broken"), /^Broken$/],
  [null, /^Something went wrong/],
])("%s", (error, text) => expect(describeError(error, t, english)).toMatch(text));

test("in Russian", async () => {
  await i18nProvider.changeLocale("ru");
  expect(describeError(failed(409, "busy"), t, new Format("ru"))).toMatch(/^Сервис перегружен/);
  expect(describeError(failed(429, "rate_limited", {}, 2), t, new Format("ru"))).toBe(
    "За секунду отправлено слишком много запросов. Повторите через 2 с.",
  );
});
