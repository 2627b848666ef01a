import type { BrowserContext } from "@playwright/test";

/** A refusal of the API. The page explains it, and the browser logs it in any case. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** The preview of a page is a frame in which nothing may run, not even what a test asks it. */
const SANDBOX = /^Blocked script execution in 'about:srcdoc'/;

/** Reports everything that no page may do, whatever it shows. */
export function watch(
  context: BrowserContext,
  origin: string,
  report: (problem: string) => void,
): void {
  context.on("weberror", (error) => report(`uncaught: ${error.error().stack ?? ""}`));
  context.on("console", (message) => {
    const { url } = message.location();
    const isRefusal = REFUSAL.test(message.text()) && url.startsWith(`${origin}/api/`);
    const isExpected = isRefusal || SANDBOX.test(message.text());
    if (message.type() === "error" && !isExpected) {
      report(`console: ${message.text()} (${url})`);
    }
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:|^wss?:/.test(url.protocol) && url.origin !== origin) {
      report(`request to another origin: ${request.url()}`);
    }
  });
}
