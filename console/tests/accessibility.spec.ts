import { findings } from "./axe";
import { background, DARK, LIGHT } from "./background";
import { ready } from "./pages";
import { expect, test } from "./support";

for (const path of ["/sign-in", "/setup#token=unknown"]) {
  test(`${path} can be used by everybody`, async ({ steward }) => {
    const page = await steward.guest({ reducedMotion: "reduce" });
    await page.goto(steward.url(path));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (const [colorScheme, colour] of [
      ["light", LIGHT],
      ["dark", DARK],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.poll(() => background(page)).toBe(colour);
      expect(await findings(page)).toEqual([]);
    }
  });
}

test("the palette can be used by everybody", async ({ page, steward }) => {
  await page.goto(steward.url("/"));
  await ready(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await findings(page)).toEqual([]);
});
