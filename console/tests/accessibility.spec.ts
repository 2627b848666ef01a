import { findings } from "./axe";
import { ready } from "./pages";
import { expect, test } from "./support";

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
