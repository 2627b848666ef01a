import { PLACES, ready } from "./pages";
import { expect, test } from "./support";

test("every page opens", { tag: "@smoke" }, async ({ page, steward }) => {
  test.setTimeout(PLACES.length * 30_000);
  for (const place of PLACES) {
    await test.step(place.name, async () => {
      await page.goto(steward.url(await place.path(steward)));
      await ready(page);
      await expect(page.locator("main .MuiAlert-colorError")).toHaveCount(0);
    });
  }
});

test("an address that does not exist says so", { tag: "@smoke" }, async ({ page, steward }) => {
  await page.goto(steward.url("/nothing/here"));
  await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
  await page.goto(steward.url("/roles/999999"));
  await expect(page.getByRole("heading", { name: "There is no such record" })).toBeVisible();
  await page.getByRole("link", { name: "To the list" }).click();
  await expect(page).toHaveTitle("Roles – Steward");
});
