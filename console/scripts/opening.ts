// Measures how long the dashboard and every list take until they are usable, on a service that is
// already running: STEWARD_URL, with the key STEWARD_API_KEY. Prints a table in Markdown, and fails if
// a median is above a second.
//
// The browser itself takes the time, from the start of the navigation to the frame from which on
// nothing is being loaded any more.
import { expect, test } from "@playwright/test";
import { RESOURCE_PAGES } from "../src/pages";
import { BUSY } from "../tests/pages";

const ROUNDS = 5;
const LONGEST_MS = 1000;
/** So long nothing may begin to load again. */
const STABLE_MS = 500;
const PATHS = ["/", ...RESOURCE_PAGES.map(({ name }) => `/${name}`), "/statistics", "/audit-log"];

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} must be set`);
  }
  return value;
}

/** Runs in every page before its own scripts. */
function watch({ busy, stable }: { busy: string; stable: number }): void {
  const opening = window as { usableAfter?: number };
  let since: number | null = null;
  const check = () => {
    const isUsable = document.querySelector("h1") !== null && document.querySelector(busy) === null;
    since = isUsable ? (since ?? performance.now()) : null;
    if (since !== null && performance.now() - since > stable) {
      opening.usableAfter = since;
    } else {
      requestAnimationFrame(check);
    }
  };
  requestAnimationFrame(check);
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

test("opening pages", async ({ page }) => {
  test.setTimeout(30 * 60_000);
  const origin = variable("STEWARD_URL");
  const signedIn = await page.request.post(`${origin}/api/console/session`, {
    data: { api_key: variable("STEWARD_API_KEY") },
  });
  expect(signedIn.status()).toBe(201);
  await page.addInitScript(watch, { busy: BUSY, stable: STABLE_MS });
  const slow: string[] = [];
  const rows = ["| page | median, ms | slowest, ms |", "|---|---:|---:|"];
  for (const path of PATHS) {
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await page.goto(`${origin}/console${path}`);
      const usable = await page.waitForFunction(
        () => (window as { usableAfter?: number }).usableAfter,
      );
      took.push((await usable.jsonValue()) ?? Number.NaN);
    }
    if (median(took) > LONGEST_MS) {
      slow.push(path);
    }
    const shown = [median(took), Math.max(...took)].map((ms) => String(Math.round(ms)));
    rows.push(`| \`${path}\` | ${shown.join(" | ")} |`);
  }
  console.log(rows.join("\n"));
  expect(slow, "pages that take longer than a second").toEqual([]);
});
