import { expect, test } from "vitest";
import { browserOf } from "./browser";

const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`${CHROME} Chrome/140.0.0.0 Safari/537.36`, "Chrome", "Windows"],
  [`${CHROME} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Microsoft Edge", "Windows"],
  [`${CHROME} Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36`, "Yandex Browser", "Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox", "Linux"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
    "Safari",
    "iOS",
  ],
  [
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Chrome",
    "Android",
  ],
  ["curl/8.5.0", null, null],
])("%s", (userAgent, browser, system) => {
  expect(browserOf(userAgent)).toEqual({ browser, system });
});
