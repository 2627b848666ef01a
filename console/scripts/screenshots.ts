// Makes the gallery of the README: the important pages with demo data, light, dark, on a phone and
// in Russian.
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "@playwright/test";
import { GUILD, ROLES, startDiscord, TOKEN } from "../tests/discord";
import { one, ready } from "../tests/pages";
import { unsavedBar } from "../tests/pages";
import { newRole } from "../tests/roles";
import { Service } from "../tests/service";
import { expect, type Steward, test } from "../tests/support";

const LARGEST_BYTES = 150_000;
const WIDE: BrowserContextOptions = { viewport: { width: 1200, height: 700 } };
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 780 }, isMobile: true };

interface Shot {
  file: string;
  path: string | ((steward: Steward) => Promise<string>);
  options?: BrowserContextOptions;
  /** What a person does before the picture is taken. Returns what ends what it began. */
  act?: (page: Page, steward: Steward) => Promise<unknown>;
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
  { file: "discord-light", path: "/", act: connectDiscord },
];

async function conflictingRole(steward: Steward): Promise<string> {
  return `/roles/${(await newRole(steward)).id}`;
}

async function conflict(page: Page, steward: Steward): Promise<void> {
  const description = page.getByRole("textbox", { name: "Description" });
  await description.fill("Keeps the chat friendly and answers reports");
  const id = page.url().replace(/.*\//, "");
  await steward.api("PUT", `/api/roles/${id}`, { description: "Answers reports" });
  await unsavedBar(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
}

/** Opens the page of a service that is connected to a server at Discord. */
async function connectDiscord(page: Page): Promise<() => Promise<void>> {
  const discord = await startDiscord();
  const service = await Service.start({ users: 40, roles: 8 }, discord.settings);
  const { roles } = await service.read<{ roles: { id: number }[] }>("/api/roles");
  await service.api("PUT", "/api/discord", {
    guild_id: GUILD,
    bot_token: TOKEN,
    active: true,
    trust_links: false,
  });
  const followers = [ROLES.vip, ROLES.player, ROLES.moderator];
  const mappings = followers.map((id, at) => ({ role_id: roles[at]?.id, discord_role_id: id }));
  await service.api("PUT", "/api/discord/roles", { mappings });
  const data = { api_key: "key-of-the-browser-tests" };
  await page.request.post(`${service.origin}/api/console/session`, { data });
  await page.goto(service.url("/discord"));
  await page.getByRole("button", { name: "Check now" }).click();
  await expect(page.getByText("above Moderator").first()).toBeVisible();
  await ready(page);
  return async () => {
    await page.context().close();
    await service.stop();
    discord.stop();
  };
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
    const end = await act?.(page, steward);
    const target = fileURLToPath(new URL(`../screenshots/${file}.png`, import.meta.url));
    await page.screenshot({ path: target, animations: "disabled" });
    await (typeof end === "function" ? (end as () => Promise<void>)() : context.close());
    expect(statSync(target).size).toBeLessThanOrEqual(LARGEST_BYTES);
  });
}
