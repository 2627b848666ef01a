import type { Page } from "@playwright/test";
import { findings } from "./axe";
import { addBan, findBan, linkSteam, newSteamId } from "./bans";
import { type GameServer, startGameServer } from "./gameServer";
import { ready, saveChanges } from "./pages";
import { addServer } from "./products";
import { expect, type Steward, test } from "./support";

let game: GameServer;

test.beforeAll(async () => {
  game = await startGameServer();
});

test.afterAll(() => game.stop());

const DAY_S = 86_400;
const dialog = (page: Page) => page.getByRole("dialog");
const submit = (page: Page) => page.getByRole("button", { name: "Create", exact: true });
const reason = (page: Page) => page.getByRole("combobox", { name: "Reason" });
const search = (page: Page) => page.getByRole("combobox", { name: "SteamID, address or user" });

/** A server that answers, and kicks with this command. */
async function addKickingServer(steward: Steward, port = game.port) {
  const server = await addServer(steward, port, game.password);
  const commands = { kick_command: "kick {steam_id64}" };
  await steward.api("PUT", `/api/servers/${server.id}/commands`, commands);
  return server;
}

test(
  "a player is found, banned, kicked, changed and free again",
  { tag: "@core" },
  async ({ page, steward }) => {
    const server = await addKickingServer(steward);
    const { id64, id2 } = newSteamId(steward);
    await page.goto(steward.url("/bans"));
    await search(page).fill(id2);
    await expect(page.getByText("No bans of this player")).toBeVisible();
    await page.getByRole("link", { name: "New ban" }).last().click();

    await expect(page.getByRole("textbox", { name: "SteamID" })).toHaveValue(id2);
    await expect(page.getByText(`SteamID64: ${id64}.`)).toBeVisible();
    await submit(page).click();
    await expect(reason(page)).toHaveAttribute("aria-invalid", "true");
    await reason(page).fill("Chea");
    await page.getByRole("option", { name: "Cheating" }).click();
    await page.getByRole("button", { name: "30 days" }).click();
    await page.getByRole("combobox", { name: "Servers" }).click();
    await page.getByRole("option", { name: server.name }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Name in the game" }).fill("Gordon");
    await page.getByRole("combobox", { name: "Evidence" }).fill("https://example.com/demo");
    expect(await findings(page)).toEqual([]);
    await submit(page).click();

    await expect(page.getByRole("heading", { level: 1, name: "Gordon" })).toBeVisible();
    const ban = await findBan(steward, `steam_id64=${id64}`);
    expect(ban).toMatchObject({
      kind: "ban",
      server_ids: [server.id],
      reason: "Cheating",
      evidence: ["https://example.com/demo"],
    });
    const length = Date.parse(ban.expires_at ?? "") - Date.parse(ban.created_at);
    expect(Math.round(length / 1000 / DAY_S)).toBe(30);
    const sent = page.getByRole("region", { name: "Sent to the servers" });
    await expect(sent.getByRole("listitem").filter({ hasText: server.name })).toContainText(
      "Sent",
      {
        timeout: 30_000,
      },
    );
    await expect(page.getByRole("link", { name: "https://example.com/demo" })).toHaveAttribute(
      "rel",
      /noopener/,
    );

    await page.getByRole("button", { name: "Edit" }).click();
    await dialog(page).getByRole("button", { name: "Forever" }).click();
    await dialog(page).getByRole("textbox", { name: "Note" }).fill("Wallhack in round 3");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByText("Wallhack in round 3")).toBeVisible();
    expect((await findBan(steward, `steam_id64=${id64}`)).expires_at).toBeNull();

    await page.getByRole("button", { name: "Lift" }).click();
    await dialog(page).getByRole("textbox", { name: "Reason" }).fill("It was a mistake");
    await dialog(page).getByRole("button", { name: "Lift" }).click();
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByText("It was a mistake")).toBeVisible();
    await expect(page.getByRole("button", { name: "Lift" })).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Activity" })).toContainText("lifted the ban of");
    await page.goto(steward.url(`/bans?q=${id64}`));
    await expect(page.getByRole("row", { name: "Gordon" })).toContainText("Lifted");
  },
);

test("an imported ban shows the name of its moderator", async ({ page, steward }) => {
  const { id } = await addBan(steward);
  // As after an import, which is a command of the program.
  await page.route(`**/api/bans/${id}*`, async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as { ban: Record<string, unknown> };
    reply.ban["issued_by"] = { kind: "system", id: null, name: "OldAdmin" };
    await route.fulfill({ response, json: reply });
  });
  await page.goto(steward.url(`/bans/${id}`));
  await expect(page.getByText("OldAdmin")).toBeVisible();
});

test(
  "a second ban comes with a warning, and both are lifted at once",
  { tag: "@core" },
  async ({ page, steward }) => {
    const first = await addBan(steward, { kind: "mute", reason: "Shouting" });
    await page.goto(steward.url(`/bans/create?q=${first.steam_id64}`));
    const warning = page.getByRole("status").filter({ hasText: "has an active ban already" });
    await expect(warning.getByRole("link", { name: /Mute: Shouting/ })).toBeVisible();
    await reason(page).fill("Insults again");
    await page.getByRole("button", { name: "Gag", exact: true }).click();
    await expect(page.getByText("The player cannot write in the chat.")).toBeVisible();
    await expect(page.getByRole("switch", { name: /Kick/ })).toHaveCount(0);
    await submit(page).click();
    await expect(page.getByRole("region", { name: "Other bans of this player" })).toContainText(
      "Shouting",
    );
    await page.getByRole("button", { name: "Lift" }).click();
    await dialog(page).getByRole("textbox", { name: "Reason" }).fill("They apologised");
    await dialog(page).getByRole("switch", { name: "Also lift 1 other active ban" }).click();
    await dialog(page).getByRole("button", { name: "Lift" }).click();
    // The dialog has the text, too, until the bans are lifted.
    await expect(dialog(page)).toHaveCount(0);
    await expect(page.getByText("They apologised")).toBeVisible();
    const { bans } = await steward.read<{ bans: { state: string }[] }>(
      `/api/bans?steam_id64=${first.steam_id64}`,
    );
    expect(bans.map(({ state }) => state)).toEqual(["lifted", "lifted"]);
  },
);

test("a user is banned from their page, on a phone", { tag: "@core" }, async ({ steward }) => {
  const viewport = { width: 360, height: 740 };
  const page = await steward.page({ viewport, hasTouch: true, isMobile: true });
  const user = await steward.addUser("banned");
  await page.goto(steward.url(`/users/${user.id}`));
  await page.getByRole("link", { name: "Ban in games" }).click();
  await expect(page.getByRole("combobox", { name: "User" })).toHaveValue(user.username);
  await expect(page.getByText("This user has linked no SteamID")).toBeVisible();
  await reason(page).fill("Griefing");
  await page.getByRole("button", { name: "1 hour" }).click();
  await submit(page).click();
  await expect(page.getByRole("heading", { level: 1, name: user.username })).toBeVisible();
  const ban = await findBan(steward, `user_id=${user.id}`);
  expect(Date.parse(ban.expires_at ?? "") - Date.parse(ban.created_at)).toBe(3_600_000);
  await page.goto(steward.url(`/users/${user.id}`));
  await expect(page.getByRole("region", { name: "Bans in games" })).toContainText("Griefing");
  await page.goto(steward.url(`/bans?user_id=${user.id}`));
  await expect(page.getByRole("link", { name: user.username })).toContainText("Griefing");
});

test("an address needs an end, and a search for an address finds its range", async ({
  page,
  steward,
}) => {
  await page.goto(steward.url("/bans/create"));
  await reason(page).fill("Flooding");
  await submit(page).click();
  await expect(page.getByText("Enter a SteamID, an address, or both.")).toBeVisible();
  await page.getByRole("textbox", { name: "Address or range" }).fill("198.51.100.0/24");
  await expect(page.getByRole("switch", { name: /Kick/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Forever" }).click();
  await expect(page.getByText("A ban by address alone must end within a year")).toBeVisible();
  await submit(page).click();
  await expect(page).toHaveURL(/create$/);
  await page.getByRole("button", { name: "7 days" }).click();
  await submit(page).click();
  await expect(page.getByRole("heading", { level: 1, name: "198.51.100.0/24" })).toBeVisible();
  await page.goto(steward.url("/bans"));
  await search(page).fill("198.51.100.77");
  await expect(page.getByRole("row", { name: "198.51.100.0/24" })).toBeVisible();
});

test("a ban may hold for a SteamID and an address at once", async ({ page, steward }) => {
  const { id64 } = newSteamId(steward);
  await page.goto(steward.url(`/bans/create?q=${id64}`));
  await page.getByRole("textbox", { name: "Address or range" }).fill("192.0.2.77");
  await reason(page).fill("Evading");
  await page.getByRole("button", { name: "Forever" }).click();
  await submit(page).click();
  await expect(page.getByRole("heading", { level: 1, name: id64 })).toBeVisible();
  expect(await findBan(steward, `steam_id64=${id64}`)).toMatchObject({
    ip_range: "192.0.2.77",
    expires_at: null,
  });
});

test("a ban is found by the name of its user, and a name that nobody has finds nothing", async ({
  page,
  steward,
}) => {
  const { id64 } = newSteamId(steward);
  const user = await steward.addUser("crazy-anchor");
  await steward.addUser("crazy-lantern");
  await linkSteam(steward, user.id, id64);
  const ban = await addBan(steward, { steam_id64: id64, player_name: "" });
  const other = await addBan(steward);
  await page.goto(steward.url("/bans"));
  await expect(page.getByRole("row", { name: other.player_name })).toBeVisible();
  await search(page).fill("zzzz");
  await expect(page.getByRole("heading", { name: "No user or ban matches “zzzz”" })).toBeVisible();
  await expect(page.getByText("Search for a SteamID, an address, or the name")).toBeVisible();
  expect(await findings(page)).toEqual([]);

  await search(page).fill("crazy-");
  await page.keyboard.press("Escape");
  await page
    .getByRole("list", { name: "Several users match" })
    .getByRole("button", { name: user.username })
    .click();
  const row = page.getByRole("row", { name: id64 });
  await expect(row).toBeVisible();
  // The ban itself names the SteamID alone.
  await expect(row.getByRole("link", { name: user.username }).last()).toHaveAttribute(
    "href",
    new RegExp(`/users/${user.id}$`),
  );
  await search(page).fill(user.username);
  await expect(page.getByRole("link", { name: `Bans of ${user.username}` })).toBeVisible();
  await expect(page.getByRole("row", { name: id64 })).toBeVisible();
  await expect(page.getByRole("row", { name: other.player_name })).toHaveCount(0);

  await page.goto(steward.url(`/bans/${ban.id}`));
  await expect(page.getByRole("heading", { level: 1, name: user.username })).toBeVisible();
  await page.goto(steward.url(`/users/${user.id}`));
  await expect(page.getByRole("link", { name: "Banned from servers" })).toHaveAttribute(
    "href",
    new RegExp(`/bans/${ban.id}$`),
  );
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill(user.username);
  await expect(page.getByRole("option", { name: `Bans of ${user.username}` })).toBeVisible();
});

test("the list has the bans of one moderator", async ({ page, steward }) => {
  const mine = await addBan(steward, { reason: "By the key" });
  const {
    page: theirs,
    id,
    username,
  } = await steward.operator({
    permissions: ["admin.bans", "admin.bans.read"],
  });
  await theirs.goto(steward.url(`/bans/create?q=${newSteamId(steward).id64}`));
  await reason(theirs).fill("By an operator");
  await submit(theirs).click();
  await expect(theirs.getByText("By an operator")).toBeVisible();
  await page.goto(steward.url("/bans"));
  await page.getByRole("combobox", { name: "Moderator" }).click();
  await page.getByRole("option", { name: username, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`issued_by=operator%3A${id}`));
  await expect(page.getByRole("cell", { name: "By an operator" })).toBeVisible();
  await expect(page.getByRole("row", { name: mine.player_name })).toHaveCount(0);
  await expect(page.getByRole("columnheader", { name: "Since" })).toBeVisible();
  // Who may not read operators chooses from those who issued the latest bans.
  await theirs.goto(steward.url("/bans"));
  await theirs.getByRole("combobox", { name: "Moderator" }).click();
  await theirs.getByRole("option", { name: username, exact: true }).click();
  await expect(theirs.getByRole("cell", { name: "By an operator" })).toBeVisible();
  await expect(theirs.getByRole("row", { name: mine.player_name })).toHaveCount(0);
});

test("a server that is down says so, and the commands of a game are proposed", async ({
  page,
  steward,
}) => {
  const server = await addKickingServer(steward, 9);
  const ban = await addBan(steward, { server_ids: [server.id] });
  await page.goto(steward.url(`/bans/${ban.id}`));
  const sent = page.getByRole("region", { name: "Sent to the servers" });
  await expect(sent).toContainText("accepts no RCON connection");
  expect(await findings(page)).toEqual([]);

  await page.goto(steward.url(`/servers/${server.id}?tab=settings`));
  await page.getByRole("button", { name: "Use the usual ones of Counter-Strike: Source" }).click();
  await expect(page.getByText('kickid "[U:1:3]" You are banned')).toBeVisible();
  await page.getByRole("textbox", { name: "Command that mutes" }).fill("mute {username}");
  await expect(page.getByText("There is no placeholder {username}.")).toBeVisible();
  await page.getByRole("textbox", { name: "Command that mutes" }).fill("mute {steam_id64}");
  await saveChanges(page);
  const { commands } = await steward.read<{ commands: unknown }>(
    `/api/servers/${server.id}/commands`,
  );
  expect(commands).toEqual({
    kick_command: 'kickid "{steam_id3}" You are banned',
    mute_command: "mute {steam_id64}",
    unmute_command: null,
  });
});

test("a game without a known command says so, and the number of its server can be copied", async ({
  page,
  steward,
}) => {
  const server = await addServer(steward, 9, "secret");
  await steward.api("PUT", `/api/servers/${server.id}`, { game: "minecraft" });
  await page.goto(steward.url(`/servers/${server.id}?tab=settings`));
  await expect(page.getByText("No usual commands are known for Minecraft.")).toBeVisible();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: `Copy: Number of ${server.name}` }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(String(server.id));
  await page.goto(steward.url("/servers"));
  await expect(page.getByRole("row", { name: server.name })).toContainText(
    `#${server.id} · Minecraft`,
  );
});

test("those who may only read see no buttons", { tag: "@core" }, async ({ steward }) => {
  const ban = await addBan(steward);
  const { page } = await steward.operator({ permissions: ["admin.bans.read"] });
  await page.goto(steward.url("/bans"));
  await expect(page.getByRole("row", { name: ban.player_name })).toBeVisible();
  await expect(page.getByRole("link", { name: "New ban" })).toHaveCount(0);
  await page.goto(steward.url(`/bans/${ban.id}`));
  await ready(page);
  await expect(
    page.getByRole("main").getByRole("button", { name: /^(Edit|Lift|Kick)/ }),
  ).toHaveCount(0);
});
