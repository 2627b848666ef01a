import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults } from "axe-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The only rule whose outcome depends on the theme. */
export const CONTRAST = ["color-contrast"];

/** What makes the page hard to use, with the elements at fault. By all rules, or by some. */
export async function findings(page: Page, rules: string[] = []): Promise<string[]> {
  // Evaluated rather than added to the page, whose policy forbids inline scripts.
  await page.evaluate(AXE);
  const options = rules.length > 0 ? { runOnly: rules } : {};
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n  ")}`);
}
