import { expect, test } from "./support";

test("the dashboard opens", async ({ page, steward }) => {
  await page.goto(steward.url("/"));
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});
