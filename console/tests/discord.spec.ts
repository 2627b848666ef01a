import type { BrowserContextOptions, Locator, Page } from "@playwright/test";
import { findings } from "./axe";
import { type FakeDiscord, GUILD, ROLES, startDiscord, TOKEN } from "./discord";
import { ready, saveChanges, unsavedBar } from "./pages";
import { Service } from "./service";
import { expect, type Steward, test } from "./support";

const MEMBER = "80351110224678912";
/** The network of social links. */
const DISCORD = 2;

interface World {
  service: Service;
  discord: FakeDiscord;
  page: Page;
  /** Connects the server, as another client. */
  connect: (changes?: Record<string, unknown>) => Promise<void>;
  addRole: (name: string, color?: string) => Promise<number>;
  /** Adds a user with these roles whose profile is on the server. */
  addMember: (username: string, roleIds: number[]) => Promise<number>;
  pairs: () => Promise<{ role_id: number; discord_role_id: string }[]>;
}

/** Runs a test with a service and a Discord of its own, signed in. */
async function withDiscord(
  steward: Steward,
  run: (world: World) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const discord = await startDiscord();
  const service = await Service.start(null, discord.settings);
  try {
    const page = await steward.guest(options, service.origin);
    // Without the form, whose words depend on the language.
    const data = { api_key: "key-of-the-browser-tests" };
    const reply = await page.request.post(`${service.origin}/api/console/session`, { data });
    expect(reply.status(), await reply.text()).toBe(201);
    await run({
      service,
      discord,
      page,
      connect: async (changes = {}) => {
        const body = { guild_id: GUILD, bot_token: TOKEN, ...changes };
        await service.api("PUT", "/api/discord", body);
      },
      addRole: async (name, color = "#1e90ff") => {
        type Reply = { role: { id: number } };
        return (await service.api<Reply>("POST", "/api/roles", { name, color })).role.id;
      },
      addMember: async (username, role_ids) => {
        type Reply = { user: { id: number } };
        const email = `${username}@example.com`;
        const password = "a password for tests";
        const user = { username, email, password, role_ids };
        const { id } = (await service.api<Reply>("POST", "/api/users", user)).user;
        discord.members.set(MEMBER, new Set());
        const link = { network_id: DISCORD, profile_url: MEMBER };
        await service.api("POST", `/api/users/${id}/social-networks`, link);
        return id;
      },
      pairs: async () => {
        type Reply = { mappings: { role_id: number; discord_role_id: string }[] };
        return (await service.read<Reply>("/api/discord/roles")).mappings;
      },
    });
    await page.context().close();
  } finally {
    await service.stop();
    discord.stop();
  }
}

const found = (page: Page) => page.getByRole("status", { name: "What the check found" });
const checkNow = (page: Page) => page.getByRole("button", { name: "Check now" });
const dialog = (page: Page) => page.getByRole("dialog");
const pair = (page: Page, number: number) =>
  page.getByRole("group", { name: `Pair ${number}`, exact: true });

async function choose(row: Locator, label: string, option: string): Promise<void> {
  await row.getByRole("combobox", { name: label }).click();
  await row.page().getByRole("option", { name: option }).click();
}

test("a server is connected in three steps, and the check says what to set right", async ({
  steward,
}) => {
  await withDiscord(steward, async ({ service, discord, page }) => {
    discord.state.hasIntent = false;
    discord.state.mayManageRoles = false;
    await page.goto(service.url("/discord"));
    await expect(page.getByRole("heading", { name: "Create a bot" })).toBeVisible();
    expect(await findings(page)).toEqual([]);
    await expect(page.getByRole("button", { name: "Invite the bot" })).toBeDisabled();
    await page.getByRole("textbox", { name: "Application id" }).fill("900000000000000001");
    await expect(page.getByRole("link", { name: "Invite the bot" })).toHaveAttribute(
      "href",
      /client_id=900000000000000001&scope=bot&permissions=268435456$/,
    );

    const submit = page.getByRole("button", { name: "Connect", exact: true });
    const guild = page.getByRole("textbox", { name: "Server id" });
    await guild.fill("1234");
    await submit.click();
    await expect(guild).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByText(/17 to 20 digits/)).toBeVisible();
    await guild.fill(` ${GUILD} `);
    await page.getByLabel("Bot token", { exact: true }).fill(TOKEN);
    await submit.click();

    await expect(found(page)).toContainText("Discord accepts the token.");
    await expect(found(page)).toContainText("Give the role of the bot the permission Manage Roles");
    await expect(found(page)).toContainText("Switch on “Server Members Intent”");
    expect(await findings(page)).toEqual([]);
    Object.assign(discord.state, { hasIntent: true, mayManageRoles: true });
    await checkNow(page).click();
    await expect(page.getByText("Everything is in order.")).toBeVisible();
    await expect(page.getByText("Working", { exact: true })).toBeVisible();
    const { discord: stored } = await service.read<{ discord: unknown }>("/api/discord");
    expect(stored).toMatchObject({ guild_id: GUILD, active: true, trust_links: false });
  });
});

test("roles are paired by name and colour, and saved together", async ({ steward }) => {
  await withDiscord(steward, async ({ service, discord, page, connect, addRole, pairs }) => {
    const vip = await addRole("Supporter", "#f1c40f");
    const staff = await addRole("Staff", "#e74c3c");
    await connect();
    await page.goto(service.url("/discord"));
    await page.getByRole("button", { name: "Add a pair" }).click();
    await choose(pair(page, 1), "Role here", "Supporter");
    await pair(page, 1).getByRole("combobox", { name: "Role at Discord" }).click();
    await expect(page.getByRole("option", { name: "Server Booster" })).toContainText(
      "belongs to a bot or to Discord",
    );
    await expect(page.getByRole("option", { name: "Server Booster" })).toBeDisabled();
    await expect(page.getByRole("option", { name: "Moderator" })).toContainText("above the bot");
    await expect(page.getByRole("option", { name: "@everyone" })).toHaveCount(0);
    await page.getByRole("option", { name: "VIP" }).click();

    await page.getByRole("button", { name: "Add a pair" }).click();
    await unsavedBar(page).getByRole("button", { name: "Save" }).click();
    await expect(pair(page, 2).getByRole("combobox", { name: "Role here" })).toHaveAttribute(
      "aria-invalid",
      "true",
    );
    await choose(pair(page, 2), "Role here", "Staff");
    await choose(pair(page, 2), "Role at Discord", "Moderator");
    await expect(pair(page, 2)).toContainText("Move the bot’s role above Moderator.");
    await page.getByRole("link", { name: "System", exact: true }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByRole("button", { name: "Stay" }).click();
    await saveChanges(page);
    expect(await pairs()).toEqual([
      { role_id: vip, discord_role_id: ROLES.vip },
      { role_id: staff, discord_role_id: ROLES.moderator },
    ]);
    expect(await findings(page)).toEqual([]);

    await checkNow(page).click();
    await expect(found(page)).toContainText("Move the bot’s role above Moderator.");
    discord.state.place = 10;
    await checkNow(page).click();
    await expect(found(page)).toContainText("The bot can give all 2 roles that are chosen.");

    // The same pair is not offered twice.
    await page.getByRole("button", { name: "Add a pair" }).click();
    await choose(pair(page, 3), "Role here", "Supporter");
    await pair(page, 3).getByRole("combobox", { name: "Role at Discord" }).click();
    await expect(page.getByRole("option", { name: "VIP" })).toHaveCount(0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove pair 3" }).click();
    await page.getByRole("button", { name: "Remove pair 2" }).click();
    await saveChanges(page);
    expect(await pairs()).toEqual([{ role_id: vip, discord_role_id: ROLES.vip }]);
  });
});

test("members are listed by state, and a repair shows first what it would change", async ({
  steward,
}) => {
  await withDiscord(steward, async (world) => {
    const { service, discord, page, connect, addRole, addMember } = world;
    const supporter = await addRole("Supporter");
    await addMember("anna", [supporter]);
    await connect();
    const mappings = [{ role_id: supporter, discord_role_id: ROLES.vip }];
    await service.api("PUT", "/api/discord/roles", { mappings });

    // A link counts only once somebody has read what that means.
    await page.goto(service.url("/discord"));
    await expect(page.getByText("Nobody is recognised yet")).toBeVisible();
    await page.getByRole("switch", { name: "Also trust profiles" }).click();
    await expect(dialog(page)).toContainText("Anybody who may link profiles can type any id.");
    await dialog(page).getByRole("button", { name: "Trust linked profiles" }).click();
    await expect(page.getByRole("switch", { name: "Also trust profiles" })).toBeChecked();
    const held = () => [...(discord.members.get(MEMBER) ?? [])];
    await expect.poll(held, { timeout: 30_000 }).toEqual([ROLES.vip]);

    const members = page.getByRole("region", { name: "Members" });
    // The service notes it after the answer of Discord, and the page shows what was noted.
    await expect(async () => {
      await page.reload();
      const anna = members.getByRole("listitem").filter({ hasText: "anna" });
      await expect(anna).toContainText("Up to date", { timeout: 10_000 });
    }).toPass();
    await members.getByRole("combobox", { name: "State" }).click();
    await page.getByRole("option", { name: "Failed" }).click();
    await expect(page).toHaveURL(/state=failed/);
    await expect(members).toContainText("Nothing matches these filters.");
    await page.goto(service.url("/discord"));

    await page.getByRole("button", { name: "Preview a repair" }).click();
    await expect(dialog(page)).toContainText("Everybody has the roles that they should have.");
    await dialog(page).getByRole("button", { name: "Close" }).click();

    // Somebody took the role away at Discord.
    discord.members.set(MEMBER, new Set([ROLES.player]));
    await page.getByRole("button", { name: "Preview a repair" }).click();
    const change = dialog(page).getByRole("listitem").filter({ hasText: "anna" });
    await expect(change).toContainText("GetsVIP");
    await expect(change).not.toContainText("Loses");
    expect(held()).toEqual([ROLES.player]);
    expect(await findings(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Repair" }).click();
    await expect(page.getByText("The repair has begun")).toBeVisible();
    await expect.poll(held, { timeout: 30_000 }).toEqual([ROLES.player, ROLES.vip]);

    await members.getByRole("link", { name: "anna" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "anna" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Roles at Discord" })).toBeVisible();
    await expect(page.getByText("Up to date")).toBeVisible();
    await page.getByRole("link", { name: "Roles at Discord" }).scrollIntoViewIfNeeded();
  });
});

test("without the intent a repair has no preview, and says what to do", async ({ steward }) => {
  await withDiscord(steward, async ({ service, discord, page, connect }) => {
    discord.state.hasIntent = false;
    await connect();
    await page.goto(service.url("/discord"));
    await page.getByRole("button", { name: "Preview a repair" }).click();
    await expect(dialog(page)).toContainText("Switch on “Server Members Intent”");
    await dialog(page).getByRole("button", { name: "Repair" }).click();
    await expect(page.getByText("The repair has begun")).toBeVisible();
  });
});

test("a token that Discord refuses is replaced, and the connection is on again", async ({
  steward,
}) => {
  await withDiscord(steward, async ({ service, discord, page, connect }) => {
    discord.state.token = "another-token-of-the-same-bot";
    await connect();
    await page.goto(service.url("/discord"));
    await expect(page.getByText("because Discord refused it")).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText("Discord refuses the bot’s token")).toBeVisible();
    await page.goto(service.url("/"));
    await expect(page.getByRole("link", { name: "Discord refuses the bot" })).toBeVisible();
    await page.goto(service.url("/discord"));
    await page.getByRole("button", { name: "Change server or token" }).click();
    await dialog(page).getByLabel("Bot token", { exact: true }).fill(discord.state.token);
    await expect(
      dialog(page).getByRole("switch", { name: "Switch the connection on" }),
    ).toBeChecked();
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByText("Working", { exact: true })).toBeVisible();
    await checkNow(page).click();
    await expect(page.getByText("Everything is in order.")).toBeVisible();
    await page.goto(service.url("/audit-log"));
    await expect(page.getByText("switched off the connection to Discord")).toBeVisible();
    await expect(page.getByText("connected Discord")).toBeVisible();
  });
});

test("disconnecting asks first, and leaves the roles at Discord", async ({ steward }) => {
  await withDiscord(steward, async (world) => {
    const { service, discord, page, connect, addRole, addMember } = world;
    const role = await addRole("Supporter");
    await addMember("boris", [role]);
    await connect({ trust_links: true });
    const mappings = [{ role_id: role, discord_role_id: ROLES.vip }];
    await service.api("PUT", "/api/discord/roles", { mappings });
    const held = () => [...(discord.members.get(MEMBER) ?? [])];
    await expect.poll(held, { timeout: 30_000 }).toEqual([ROLES.vip]);
    await page.goto(service.url("/discord"));
    await page.getByRole("button", { name: "Disconnect" }).click();
    await expect(dialog(page)).toContainText("Roles at Discord stay as they are");
    await dialog(page).getByRole("button", { name: "Disconnect" }).click();
    await expect(page.getByRole("heading", { name: "Create a bot" })).toBeVisible();
    await discord.quiet();
    expect(held()).toEqual([ROLES.vip]);
  });
});

test("two people who change the pairs at once see both versions", async ({ steward }) => {
  await withDiscord(steward, async ({ service, page, connect, addRole, pairs }) => {
    const role = await addRole("Supporter");
    await addRole("Staff");
    await connect();
    await page.goto(service.url("/discord"));
    await page.getByRole("button", { name: "Add a pair" }).click();
    await choose(pair(page, 1), "Role here", "Staff");
    await choose(pair(page, 1), "Role at Discord", "VIP");
    const mappings = [{ role_id: role, discord_role_id: ROLES.player }];
    await service.api("PUT", "/api/discord/roles", { mappings });
    await unsavedBar(page).getByRole("button", { name: "Save" }).click();
    await expect(dialog(page)).toContainText("Supporter → Player");
    await expect(dialog(page)).toContainText("Staff → VIP");
    await dialog(page).getByRole("radio", { name: "Pairs of roles: Take theirs" }).click();
    await dialog(page).getByRole("button", { name: "Save the choice" }).click();
    await expect(dialog(page)).toHaveCount(0);
    expect(await pairs()).toEqual(mappings);
    await expect(pair(page, 1).getByRole("combobox", { name: "Role here" })).toHaveValue(
      "Supporter",
    );
  });
});

test("those who may only read see no buttons", async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.discord.read"] });
  await page.goto(steward.url("/discord"));
  await ready(page);
  await expect(
    page.getByRole("main").getByRole("button", { name: /Check|Change|Disconnect|Add|Repair|Save/ }),
  ).toHaveCount(0);
  for (const toggle of await page.getByRole("main").getByRole("switch").all()) {
    await expect(toggle).toBeDisabled();
  }
});

const PHONE = { viewport: { width: 320, height: 740 }, isMobile: true, hasTouch: true };

test("the page fits on a phone, in Russian and in the dark", async ({ steward }) => {
  const options = { ...PHONE, locale: "ru-RU", colorScheme: "dark" } as const;
  const run = async ({ service, page, connect, addRole, addMember }: World) => {
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await page.goto(service.url("/discord"));
    await expect(page.getByRole("heading", { name: "Создайте бота" })).toBeVisible();
    await expect.poll(width).toBeLessThanOrEqual(320);
    const role = await addRole("Поддержавшие сервер в этом году");
    await addMember("vladimir_krasnoye_solnyshko", [role]);
    await connect({ trust_links: true });
    const mappings = [{ role_id: role, discord_role_id: ROLES.moderator }];
    await service.api("PUT", "/api/discord/roles", { mappings });
    await page.reload();
    await page.getByRole("button", { name: "Проверить" }).click();
    await expect(page.getByText("Поставьте роль бота выше Moderator.").first()).toBeVisible();
    await expect(page.getByRole("link", { name: "vladimir_krasnoye_solnyshko" })).toBeVisible();
    await expect.poll(width).toBeLessThanOrEqual(320);
    expect(await findings(page)).toEqual([]);
  };
  await withDiscord(steward, run, options);
});
