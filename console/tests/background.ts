import type { Page } from "@playwright/test";

export const LIGHT = "rgb(247, 248, 250)";
export const DARK = "rgb(15, 18, 24)";

/** The colour behind everything, which tells the theme. */
export function background(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}
