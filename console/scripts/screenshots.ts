// Makes the gallery of the README: the important pages with demo data, light, dark, on a phone and
// in Russian.
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "@playwright/test";
import { one, ready } from "../tests/pages";
import { newRole, saveButton } from "../tests/roles";
import { expect, type Steward, test } from "../tests/support";

const LARGEST_BYTES = 150_000;
const WIDE: BrowserContextOptions = { viewport: { width: 1200, height: 700 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 780 }, isMobile: true };

interface Shot {
  file: string;
  path: string | ((steward: Steward) => Promise<string>);
  options?: BrowserContextOptions;
  /** What a person does before the picture is taken. */
  act?: (page: Page, steward: Steward) => Promise<void>;
}

const DARK: BrowserContextOptions = { ...WIDE, colorScheme: "dark" };
const RUSSIAN: BrowserContextOptions = { ...WIDE, locale: "ru-RU" };
const record = (name: Parameters<typeof one>[1]) => async (steward: Steward) =>
  `/${name}/${await one(steward, name)}`;

const SHOTS: Shot[] = [
  { file: "webhooks-empty-light", path: "/webhooks" },
  { file: "dashboard-light", path: "/" },
  { file: "dashboard-dark", path: "/", options: DARK },
  { file: "dashboard-phone", path: "/", options: PHONE },
  { file: "users-dark", path: "/users", options: DARK },
  { file: "user-light", path: record("users") },
  { file: "server-light", path: record("servers") },
  { file: "servers-phone", path: "/servers", options: PHONE },
  { file: "role-phone", path: record("roles"), options: PHONE },
  { file: "page-dark", path: record("pages"), options: DARK },
  { file: "navigation-light", path: "/navigation" },
  { file: "invoices-russian", path: "/invoices", options: RUSSIAN },
  { file: "statistics-light", path: "/statistics" },
  { file: "audit-russian", path: "/audit-log", options: { ...RUSSIAN, colorScheme: "dark" } },
  { file: "palette-light", path: "/", act: (page) => page.keyboard.press("Control+k") },
  { file: "conflict-light", path: conflictingRole, act: conflict },
];

async function conflictingRole(steward: Steward): Promise<string> {
  return `/roles/${(await newRole(steward)).id}`;
}

async function conflict(page: Page, steward: Steward): Promise<void> {
  const description = page.getByRole("textbox", { name: "Description" });
  await description.fill("Keeps the chat friendly and answers reports");
  const id = page.url().replace(/.*\//, "");
  await steward.api("PUT", `/api/roles/${id}`, { description: "Answers reports" });
  await saveButton(page).click();
  await expect(page.getByRole("dialog")).toBeVisible();
}

for (const { file, path, options, act } of SHOTS) {
  test(file, async ({ browser, steward }) => {
    const context = await browser.newContext({
      ...WIDE,
      reducedMotion: "reduce",
      ...options,
      storageState: steward.state,
    });
    const page = await context.newPage();
    await page.goto(steward.url(typeof path === "string" ? path : await path(steward)));
    await ready(page);
    await act?.(page, steward);
    const target = fileURLToPath(new URL(`../screenshots/${file}.png`, import.meta.url));
    await page.screenshot({ path: target, animations: "disabled" });
    await context.close();
    expect(statSync(target).size).toBeLessThanOrEqual(LARGEST_BYTES);
  });
}
