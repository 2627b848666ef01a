// Measures how long the dashboard and every list take until they are usable, on a service that is
// already running: STEWARD_URL, with the key STEWARD_API_KEY. Prints a table in Markdown.
import { expect, test } from "@playwright/test";
import { RESOURCE_PAGES } from "../src/pages";
import { ready } from "../tests/pages";

const ROUNDS = 5;
const PATHS = ["/", ...RESOURCE_PAGES.map(({ name }) => `/${name}`), "/statistics", "/audit-log"];

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} must be set`);
  }
  return value;
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
  const rows = ["| page | median, ms | slowest, ms |", "|---|---:|---:|"];
  for (const path of PATHS) {
    const took: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      await page.goto(`${origin}/console${path}`);
      await ready(page);
      took.push(performance.now() - started);
    }
    const shown = [median(took), Math.max(...took)].map((ms) => String(Math.round(ms)));
    rows.push(`| \`${path}\` | ${shown.join(" | ")} |`);
  }
  console.log(rows.join("\n"));
});
