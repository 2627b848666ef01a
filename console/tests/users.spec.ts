import { readFileSync } from "node:fs";
import { live, saveChanges } from "./pages";
import type { Steward } from "./support";
import { expect, test } from "./support";

interface User {
  id: number;
  username: string;
}

interface Detail {
  user: { username: string; email: string; status: string; roles: { id: number; name: string }[] };
}

interface Blocks {
  blocks: { reason: string; until: string | null; lifted_at: string | null }[];
}

const PASSWORD = "a long password";

async function newRole(steward: Steward): Promise<string> {
  const name = steward.unique("Role of users");
  await steward.api("POST", "/api/roles", { name, description: "For a test." });
  return name;
}

async function read(steward: Steward, id: number): Promise<Detail["user"]> {
  return (await steward.read<Detail>(`/api/users/${id}`)).user;
}

test("people are found by name, by SteamID in any spelling, and by Discord", async ({
  page,
  steward,
}) => {
  const player = await steward.addUser("sought");
  const link = (network_id: number, profile_url: string) =>
    steward.api("POST", `/api/users/${player.id}/social-networks`, { network_id, profile_url });
  await link(1, "STEAM_0:1:26040000");
  await link(2, "80351110224678912");
  await page.goto(steward.url("/users"));
  const search = page.getByLabel("Name, email, SteamID or Discord");
  const row = page.getByRole("link", { name: player.username });
  await search.fill("so");
  await expect(page.getByText("Type 1 more character to search.")).toBeVisible();
  await search.fill("sought");
  await expect(page.getByText("The search looks at all users.")).toBeVisible();
  await expect(row).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Status" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Export" })).toBeDisabled();
  await page.reload();
  await expect(search).toHaveValue("sought");
  await search.fill("nobody has this name");
  await expect(row).toHaveCount(0);
  await search.fill("STEAM_1:1:26040000");
  await expect(row).toBeVisible();
  await search.fill("nobody has this name");
  await expect(row).toHaveCount(0);
  await search.fill("https://discord.com/users/80351110224678912");
  await expect(row).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("[U:1:52080001]");
  await page.getByRole("option", { name: player.username }).click();
  await expect(page.getByRole("link", { name: "76561198012345729" })).toHaveAttribute(
    "href",
    "https://steamcommunity.com/profiles/76561198012345729",
  );
});

test("the list is filtered by status and sorted by name", async ({ page, steward }) => {
  const { id, username } = await steward.addUser("0000filtered");
  await steward.api("POST", `/api/users/${id}/block`, {});
  await page.goto(steward.url("/users"));
  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Blocked" }).click();
  await expect(page).toHaveURL(/status.*blocked/);
  await expect(page.getByRole("cell", { name: "Active", exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Username" }).click();
  await expect(page).toHaveURL(/status.*blocked.*sort=username/);
  await expect(page.getByRole("link", { name: username })).toBeVisible();
});

test("blocked users are listed with reason, author and end, those that expire next first", async ({
  page,
  steward,
}) => {
  const role = await newRole(steward);
  const { roles } = await steward.read<{ roles: { id: number; name: string }[] }>("/api/roles");
  const role_ids = roles.filter(({ name }) => name === role).map(({ id }) => id);
  const soon = await steward.addUser("listed");
  const later = await steward.addUser("listed");
  const block = async ({ id }: { id: number }, hours: number) => {
    const until = new Date(Date.now() + hours * 3_600_000).toISOString();
    await steward.api("POST", `/api/users/${id}/block`, { reason: `For ${hours} hours`, until });
  };
  await block(later, 3);
  await block(soon, 2);
  await steward.api("POST", `/api/users/${soon.id}/social-networks`, {
    network_id: 1,
    profile_url: "76561197969249708",
  });
  await steward.api("PUT", `/api/users/${soon.id}/roles`, { role_ids });
  await page.goto(steward.url("/blocked"));
  const rows = page.getByRole("row");
  await expect(rows.nth(1)).toContainText(soon.username);
  await expect(rows.nth(1)).toContainText("For 2 hours");
  await expect(rows.nth(1)).toContainText("admin");
  await expect(rows.nth(1)).toContainText("in 2 hours");
  await expect(rows.nth(2)).toContainText(later.username);
  const steam = rows.nth(1).getByRole("link", { name: "76561197969249708" });
  const address = "https://steamcommunity.com/profiles/76561197969249708";
  await expect(steam).toHaveAttribute("href", address);

  // The list of all users has the same on request.
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await page.getByLabel("Name, email, SteamID or Discord").fill(soon.username);
  const row = page.getByRole("row", { name: soon.username });
  await expect(row).toContainText(role);
  await expect(row.getByRole("link", { name: "76561197969249708" })).toBeVisible();
  await expect(row).not.toContainText("For 2 hours");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("switch", { name: "Reason" }).check();
  await page.keyboard.press("Escape");
  await expect(row).toContainText("For 2 hours");
  await row.getByRole("link", { name: soon.username }).click();
  await expect(page.getByRole("region", { name: "Blocks" })).toContainText("admin");
});

test("the export has what the filters leave", async ({ page, steward }) => {
  const { id, username } = await steward.addUser("exported");
  await steward.api("PUT", `/api/users/${id}`, { status: username });
  const filter = encodeURIComponent(JSON.stringify({ status: username }));
  await page.goto(steward.url(`/users?filter=${filter}`));
  await page.getByRole("button", { name: "Export" }).click();
  const started = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as NDJSON" }).click();
  const download = await started;
  expect(download.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.ndjson$/);
  const lines = readFileSync(await download.path(), "utf8")
    .trim()
    .split("\n");
  expect(lines.map((line) => (JSON.parse(line) as User).username)).toEqual([username]);
});

test(
  "many users are blocked at once after a preview",
  { tag: "@core" },
  async ({ page, steward }) => {
    const users = await Promise.all([1, 2, 3].map(() => steward.addUser("crowd")));
    const [first] = users.map(({ id }) => id);
    await steward.api("POST", `/api/users/${first}/block`, { reason: "Spam" });
    await page.goto(steward.url(`/users?filter=${encodeURIComponent('{"q":"crowd"}')}`));
    for (const { username } of users) {
      await page.getByRole("row", { name: username }).getByRole("checkbox").check();
    }
    await expect(page.getByText("3 selected")).toBeVisible();
    await page.getByRole("button", { name: "Block", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Forever" }).click();
    await dialog.getByRole("combobox", { name: "Reason" }).fill("Spam");
    await expect(dialog.getByText("2 users will be blocked. 1 user stays as is.")).toBeVisible();
    await dialog.getByRole("button", { name: "Block" }).click();
    await expect(page.getByText("2 users changed")).toBeVisible();
    for (const { id } of users) {
      expect((await read(steward, id)).status).toBe("blocked");
    }
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("Undone")).toBeVisible();
    const statuses = await Promise.all(
      users.map(async ({ id }) => (await read(steward, id)).status),
    );
    expect(statuses).toEqual(["blocked", "active", "active"]);
  },
);

test(
  "a role is given to many users and taken from them",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const user = await steward.addUser("bearer");
    const rolesOf = async () => (await read(steward, user.id)).roles.map(({ name }) => name);
    await page.goto(steward.url(`/users?filter=${encodeURIComponent('{"q":"bearer"}')}`));
    const change = async (button: string) => {
      await page.getByRole("row", { name: user.username }).getByRole("checkbox").check();
      await page.getByRole("button", { name: button }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Roles").fill(role);
      await page.getByRole("option", { name: role }).click();
      await page.keyboard.press("Escape");
      await expect(dialog.getByText(/^1 user will (get|lose) these roles\.$/)).toBeVisible();
      await dialog.getByRole("button", { name: button }).click();
      await expect(dialog).toBeHidden();
    };
    await change("Add roles");
    expect(await rolesOf()).toEqual([role]);
    await change("Remove roles");
    expect(await rolesOf()).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(rolesOf).toEqual([role]);
  },
);

test(
  "a user is created with a role, and faults stand at their fields",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const username = steward.unique("newcomer");
    await page.goto(steward.url("/users/create"));
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Email").fill("nowhere");
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await page.getByLabel("Roles").fill(role);
    await page.getByRole("option", { name: role }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Create" }).click();
    await expect(page.getByText("Must be an email address.")).toBeVisible();
    await page.getByLabel("Email").fill(`${username}@example.com`);
    await page.getByRole("button", { name: "Create" }).click();
    await expect(page.getByRole("heading", { name: username })).toBeVisible();
    const id = Number(/\d+$/.exec(page.url())?.[0]);
    const user = await read(steward, id);
    expect(user.roles.map(({ name }) => name)).toEqual([role]);
  },
);

test("the profile of a user is changed", { tag: "@core" }, async ({ page, steward }) => {
  const { id } = await steward.addUser("changing");
  const username = steward.unique("changed");
  await page.goto(steward.url(`/users/${id}`));
  const profile = page.getByRole("region", { name: "Profile" });
  await profile.getByLabel("Username").fill(username);
  await profile.getByLabel("Status").fill("vip");
  await profile.getByLabel("Status").press("Enter");
  await profile.getByRole("textbox", { name: "New password" }).fill("another password");
  await saveChanges(page);
  await expect(page.getByRole("heading", { name: username })).toBeVisible();
  await expect(profile.getByRole("textbox", { name: "New password" })).toHaveValue("");
  const user = await read(steward, id);
  expect([user.username, user.status]).toEqual([username, "vip"]);
  await steward.api("POST", "/api/sessions", {
    login: username,
    password: "another password",
    device_name: "Test",
    user_agent: "test",
  });
});

test(
  "a user is blocked for a week, unblocked, and both are undone",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { id } = await steward.addUser("blocked");
    await steward.api("PUT", `/api/users/${id}`, { status: "vip" });
    const blocks = () => steward.read<Blocks>(`/api/users/${id}/blocks`);
    const status = async () => (await read(steward, id)).status;
    const undo = page.getByRole("button", { name: "Undo" });
    const inForce = page.getByText("In force");
    const dialog = page.getByRole("dialog");
    const block = async (reason: string) => {
      await page.getByRole("button", { name: "Block" }).click();
      await expect(dialog.getByRole("button", { name: "1 week", pressed: true })).toBeVisible();
      await dialog.getByRole("combobox", { name: "Reason" }).fill(reason);
      await dialog.getByRole("button", { name: "Block" }).click();
      await expect(inForce).toBeVisible();
    };
    await page.goto(steward.url(`/users/${id}`));
    await block("Shouting");
    await undo.click();
    await expect(inForce).toBeHidden();
    expect(await status()).toBe("vip");

    await page.getByRole("button", { name: "Block" }).click();
    await dialog.getByRole("combobox", { name: "Reason" }).click();
    // What was typed before is offered beside the usual reasons.
    await expect(page.getByRole("option", { name: "Shouting" })).toBeVisible();
    await page.getByRole("option", { name: "Cheating" }).click();
    await dialog.getByRole("button", { name: "Block" }).click();
    await expect(inForce).toBeVisible();
    const [given] = (await blocks()).blocks;
    expect(given?.reason).toBe("Cheating");
    const days = (new Date(given?.until ?? 0).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    await page.getByRole("button", { name: "Unblock" }).click();
    await dialog.getByRole("button", { name: "Unblock" }).click();
    await expect(inForce).toBeHidden();
    expect((await blocks()).blocks[0]?.lifted_at).not.toBeNull();
    await undo.click();
    await expect(inForce).toBeVisible();
    const [again] = (await blocks()).blocks;
    expect(again).toMatchObject({ reason: "Cheating", until: given?.until });
  },
);

test("a profile on a network is linked and removed", async ({ page, steward }) => {
  const { id } = await steward.addUser("linked");
  const links = async () =>
    (
      await steward.read<{ social_networks: { profile_url: string }[] }>(
        `/api/users/${id}/social-networks`,
      )
    ).social_networks.map(({ profile_url }) => profile_url);
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Add a profile" }).click();
  const dialog = page.getByRole("dialog");
  const add = async (network: string, profile: string) => {
    await dialog.getByLabel("Network").click();
    await page.getByRole("option", { name: network }).click();
    await dialog.getByRole("textbox", { name: "Profile" }).fill(profile);
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(dialog).toHaveCount(0);
  };
  await add("VK", "anna");
  await expect(page.getByRole("link", { name: "anna" })).toHaveAttribute(
    "href",
    "https://vk.com/anna",
  );
  expect(await links()).toEqual(["anna"]);
  await page.getByRole("button", { name: "Add a profile" }).click();
  await dialog.getByLabel("Network").click();
  await expect(page.getByRole("option", { name: "Steam" })).toBeVisible();
  await expect(page.getByRole("option", { name: "VK" })).toHaveCount(0);
  await page.getByRole("option", { name: "Steam" }).click();
  await dialog.getByRole("textbox", { name: "Profile" }).fill("https://steamcommunity.com/id/anna");
  await expect(dialog.getByText(/has a name in it and not the SteamID/)).toBeVisible();
  await add("Steam", "[U:1:8983980]");
  expect(await links()).toEqual(["anna", "76561197969249708"]);
  await page.getByRole("button", { name: "Remove: Steam" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Remove: VK" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No profiles are linked.")).toBeVisible();
  expect(await links()).toEqual([]);
});

test("a device is added and removed", async ({ page, steward }) => {
  const { id } = await steward.addUser("device");
  const devices = async () =>
    (await steward.read<{ devices: { name: string }[] }>(`/api/users/${id}/devices`)).devices.map(
      ({ name }) => name,
    );
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Add a device" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Telephone");
  await dialog.getByLabel("Program").fill("Test/1.0");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Telephone")).toBeVisible();
  expect(await devices()).toEqual(["Telephone"]);
  await page.getByRole("button", { name: "Remove: Telephone" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("The user has not signed in on any device yet.")).toBeVisible();
  expect(await devices()).toEqual([]);
});

test("a user without invoices is deleted", { tag: "@core" }, async ({ page, steward }) => {
  const { id, username } = await steward.addUser("leaving");
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Delete" })).toBeDisabled();
  await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/users$/);
  await expect(read(steward, id)).rejects.toThrow();
});

test(
  "deleting a user with invoices is refused, explained, and erasing is offered",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { id, username } = await steward.addUser("buyer");
    const { currencies } = await steward.read<{
      currencies: { id: number; code: string }[];
    }>("/api/currencies");
    const { payment_gateways: gateways } = await steward.read<{
      payment_gateways: { key: string; enabled: boolean }[];
    }>("/api/payment-gateways");
    await steward.api("POST", "/api/payment-invoices", {
      user_id: id,
      amount: 5,
      currency_id: currencies.find(({ code }) => code === "EUR")?.id,
      gateway: gateways.find(({ enabled }) => enabled)?.key,
    });
    const { payment_invoices: invoices } = await steward.read<{
      payment_invoices: { id: number }[];
    }>(`/api/payment-invoices?user_id=${id}`);
    await page.goto(steward.url(`/users/${id}`));
    const panel = page.getByRole("region", { name: "Invoices" });
    await expect(panel.getByText("Pending")).toBeVisible();
    await live(page);
    await steward.api("PUT", `/api/payment-invoices/${invoices[0]?.id}/status`, { is_paid: true });
    await expect(panel.getByText("€5.00 paid in 1 invoice")).toBeVisible();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(dialog.getByText("This user has invoices")).toBeVisible();
    await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
    await dialog.getByRole("button", { name: "Erase" }).click();
    await expect(page.getByText("The user is anonymous now")).toBeVisible();
    expect((await read(steward, id)).username).not.toBe(username);
  },
);

test(
  "without the permission to change users nothing is offered",
  { tag: "@core" },
  async ({ steward }) => {
    const { id, username } = await steward.addUser("readonly");
    const { page } = await steward.operator({ permissions: ["admin.users.read"] });
    await page.goto(steward.url("/users"));
    await expect(page.getByRole("link", { name: username })).toBeVisible();
    await expect(page.getByRole("link", { name: "New user" })).toBeHidden();
    await expect(page.getByRole("checkbox")).toHaveCount(0);
    await page.goto(steward.url(`/users/${id}`));
    await expect(page.getByLabel("Username")).toBeDisabled();
    for (const name of ["Save", "Block", "Delete", "Erase", "Add a device", "Add a profile"]) {
      await expect(page.getByRole("button", { name })).toHaveCount(0);
    }
  },
);
