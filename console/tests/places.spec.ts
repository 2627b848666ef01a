import { CONTRAST, findings } from "./axe";
import { background, DARK } from "./background";
import { edit, forms, PLACES, ready, unsavedBar } from "./pages";
import { expect, test } from "./support";

/**
 * Every page in one go: it opens, everybody can use it in both themes, none of its forms is left
 * with unsaved changes, and it fits on a phone.
 */
for (const place of PLACES) {
  test(place.name, { tag: "@slow" }, async ({ page, steward }) => {
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(steward.url(await place.path(steward)));
    await ready(page);
    await expect(page.locator("main .MuiAlert-colorError")).toHaveCount(0);
    expect(await findings(page)).toEqual([]);

    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await expect.poll(() => background(page)).toBe(DARK);
    expect(await findings(page, CONTRAST)).toEqual([]);

    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    for (const form of await forms(page)) {
      await edit(form);
      await page.getByRole("link", { name: "System", exact: true }).click();
      await question.getByRole("button", { name: "Stay" }).click();
      await expect(question).toHaveCount(0);
      const discard = unsavedBar(page).getByRole("button", { name: "Discard" });
      if ((await discard.count()) > 0) {
        await discard.click();
        await expect(unsavedBar(page)).toHaveCount(0);
      }
    }

    await page.setViewportSize({ width: 360, height: 740 });
    await expect(page.getByRole("button", { name: "Open the menu" })).toBeVisible();
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(width).toBeLessThanOrEqual(360);
  });
}
