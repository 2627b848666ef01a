import type { Page } from "@playwright/test";
import { expect, test } from "./support";

const input = (page: Page) => page.getByRole("dialog").getByRole("combobox");

test("Ctrl-K finds a user and opens the page", async ({ page, steward }) => {
  const user = await steward.addUser("palette-user");
  await page.goto(steward.url("/"));
  await expect(page.getByRole("banner")).toBeVisible();
  await page.keyboard.press("Control+k");
  await input(page).fill(user.username);
  await expect(page.getByRole("option", { name: new RegExp(`^${user.username}`) })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/users/${user.id}$`));
});

test("the arrows choose, Enter opens, Escape closes", async ({ page, steward }) => {
  await page.goto(steward.url("/"));
  await page.getByRole("button", { name: "Search or jump to" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await page.keyboard.press("Control+k");
  await input(page).fill("webhook");
  await expect(page.getByRole("option", { name: "New webhook" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("option", { name: "New webhook" })).toHaveAttribute(
    "aria-selected",
    "true",
  );
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/webhooks\/create$/);
});

test("an invoice is found by its number", async ({ page, steward }) => {
  await page.goto(steward.url("/"));
  await expect(page.getByRole("banner")).toBeVisible();
  await page.keyboard.press("Control+k");
  await input(page).fill("7");
  await page.getByRole("option", { name: "Invoice 7" }).click();
  await expect(page).toHaveURL(/\/invoices\/7$/);
});

test("nothing that the person may not do is offered", async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/"));
  await expect(page.getByRole("banner")).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("option", { name: "Users", exact: true })).toBeVisible();
  await expect(page.getByRole("option", { name: "Roles" })).toHaveCount(0);
  await expect(page.getByRole("option", { name: /^New / })).toHaveCount(0);
});
