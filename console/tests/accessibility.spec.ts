import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { AxeResults } from "axe-core";
import { PLACES, ready } from "./pages";
import { expect, test } from "./support";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What keeps somebody from using the page, with the elements at fault. */
async function findings(page: Page): Promise<string[]> {
  // Evaluated rather than added to the page, whose policy forbids inline scripts.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>("axe.run()");
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n  ")}`);
}

for (const place of PLACES) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${place.name} can be used by everybody, ${colorScheme}`, async ({ page, steward }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.goto(steward.url(await place.path(steward)));
      await ready(page);
      expect(await findings(page)).toEqual([]);
    });
  }
}

for (const path of ["/sign-in", "/setup#token=unknown"]) {
  test(`${path} can be used by everybody`, async ({ steward }) => {
    const page = await steward.guest({ reducedMotion: "reduce" });
    await page.goto(steward.url(path));
    await expect(page.getByRole("textbox").first()).toBeVisible();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findings(page)).toEqual([]);
    }
  });
}

test("the palette can be used by everybody", async ({ page, steward }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(steward.url("/"));
  await ready(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await findings(page)).toEqual([]);
});
