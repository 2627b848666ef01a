import type { Page } from "@playwright/test";
import { background, DARK, LIGHT } from "./background";
import { ready } from "./pages";
import { expect, test } from "./support";

async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole("button", { name: menu }).click();
  await page.getByRole("menuitemradio", { name: item }).click();
  await expect(page.getByRole("menu")).toHaveCount(0);
}

const MENU = "Account and appearance";

test("the theme follows the system until one is chosen, which stays", async ({ page, steward }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto(steward.url("/"));
  await ready(page);
  await expect.poll(() => background(page)).toBe(DARK);
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(() => background(page)).toBe(LIGHT);

  await choose(page, MENU, "Dark");
  await expect.poll(() => background(page)).toBe(DARK);
  await page.reload();
  await ready(page);
  await expect.poll(() => background(page)).toBe(DARK);

  await choose(page, MENU, "Same as system");
  await expect.poll(() => background(page)).toBe(LIGHT);
});

test("the language is chosen in the menu, and stays", async ({ page, steward }) => {
  await page.goto(steward.url("/"));
  await ready(page);
  await choose(page, MENU, "Русский");
  await expect(page.getByRole("link", { name: "Пользователи", exact: true })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "ru");
  await page.reload();
  await expect(page.getByRole("link", { name: "Пользователи", exact: true })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "ru");
  await choose(page, "Учётная запись и вид", "English");
  await expect(page.getByRole("link", { name: "Users", exact: true })).toBeVisible();
});

test("the console begins in Russian in a Russian browser", async ({ steward }) => {
  const page = await steward.page({ locale: "ru-RU" });
  await page.goto(steward.url("/users"));
  await expect(page.getByRole("heading", { level: 1, name: "Пользователи" })).toBeVisible();
});

test("on a phone the menu opens, leads to a page, and closes", async ({ steward }) => {
  const viewport = { width: 360, height: 740 };
  const page = await steward.page({ viewport, hasTouch: true, isMobile: true });
  await page.goto(steward.url("/"));
  await page.getByRole("button", { name: "Open the menu" }).click();
  await page.getByRole("link", { name: "Roles" }).click();
  await expect(page).toHaveURL(/\/roles/);
  await expect(page.getByRole("navigation", { name: "Menu" })).toHaveCount(0);
});
