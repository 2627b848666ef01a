import { readFileSync } from "node:fs";
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

/** A user of the test's own. The name begins with a word that no other test searches for. */
async function newUser(steward: Steward, prefix: string): Promise<User> {
  const username = steward.unique(prefix);
  const email = `${username}@example.com`;
  const body = { username, email, password: PASSWORD };
  return (await steward.api<{ user: User }>("POST", "/api/users", body)).user;
}

async function newRole(steward: Steward): Promise<string> {
  const name = steward.unique("Role of users");
  await steward.api("POST", "/api/roles", { name, description: "For a test." });
  return name;
}

async function read(steward: Steward, id: number): Promise<Detail["user"]> {
  return (await steward.api<Detail>("GET", `/api/users/${id}`)).user;
}

test("a search while typing looks at all users and switches the filters off", async ({
  page,
  steward,
}) => {
  const { username } = await newUser(steward, "sought");
  await page.goto(steward.url("/users"));
  const search = page.getByLabel("Search by name or email");
  await search.fill("so");
  await expect(page.getByText("The search looks at all users.")).toBeHidden();
  await search.pressSequentially("ught");
  await expect(page.getByText("The search looks at all users.")).toBeVisible();
  await expect(page.getByRole("link", { name: username })).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Status" })).toBeDisabled();
  await expect(page.getByRole("button", { name: "Export" })).toBeDisabled();
  await page.reload();
  await expect(search).toHaveValue("sought");
});

test("the list is filtered by status and sorted by name", async ({ page, steward }) => {
  const { id, username } = await newUser(steward, "0000filtered");
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

test("the export has what the filters leave", async ({ page, steward }) => {
  const { id, username } = await newUser(steward, "exported");
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

test("many users are blocked at once after a preview", async ({ page, steward }) => {
  const users = await Promise.all([1, 2, 3].map(() => newUser(steward, "crowd")));
  const [first] = users.map(({ id }) => id);
  await steward.api("POST", `/api/users/${first}/block`, { reason: "Spam" });
  await page.goto(steward.url(`/users?filter=${encodeURIComponent('{"q":"crowd"}')}`));
  for (const { username } of users) {
    await page.getByRole("row", { name: username }).getByRole("checkbox").check();
  }
  await expect(page.getByText("3 selected")).toBeVisible();
  await page.getByRole("button", { name: "Block", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Spam");
  await expect(dialog.getByText("2 would change. 1 already is so.")).toBeVisible();
  await dialog.getByRole("button", { name: "Block" }).click();
  await expect(page.getByText("2 users changed")).toBeVisible();
  for (const { id } of users) {
    expect((await read(steward, id)).status).toBe("blocked");
  }
});

test("a role is given to many users and taken from them", async ({ page, steward }) => {
  const role = await newRole(steward);
  const user = await newUser(steward, "bearer");
  const rolesOf = async () => (await read(steward, user.id)).roles.map(({ name }) => name);
  await page.goto(steward.url(`/users?filter=${encodeURIComponent('{"q":"bearer"}')}`));
  const change = async (button: string) => {
    await page.getByRole("row", { name: user.username }).getByRole("checkbox").check();
    await page.getByRole("button", { name: button }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Roles").fill(role);
    await page.getByRole("option", { name: role }).click();
    await page.keyboard.press("Escape");
    await expect(dialog.getByText("1 would change.")).toBeVisible();
    await dialog.getByRole("button", { name: button }).click();
    await expect(dialog).toBeHidden();
  };
  await change("Add roles");
  expect(await rolesOf()).toEqual([role]);
  await change("Remove roles");
  expect(await rolesOf()).toEqual([]);
});

test("a user is created with a role, and faults stand at their fields", async ({
  page,
  steward,
}) => {
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
});

test("the profile and the roles of a user are changed", async ({ page, steward }) => {
  const role = await newRole(steward);
  const { id } = await newUser(steward, "changing");
  const username = steward.unique("changed");
  await page.goto(steward.url(`/users/${id}`));
  const profile = page.getByRole("region", { name: "Profile" });
  await profile.getByLabel("Username").fill(username);
  await profile.getByLabel("Status").fill("vip");
  await profile.getByLabel("Status").press("Enter");
  await profile.getByRole("textbox", { name: "New password" }).fill("another password");
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: username })).toBeVisible();
  await expect(profile.getByRole("textbox", { name: "New password" })).toHaveValue("");
  const roles = page.getByRole("region", { name: "Roles" });
  await roles.getByLabel("Roles").fill(role);
  await page.getByRole("option", { name: role }).click();
  await page.keyboard.press("Escape");
  await roles.getByRole("button", { name: "Save" }).click();
  await expect(roles.getByRole("button", { name: "Save" })).toBeDisabled();
  await expect
    .poll(async () => (await read(steward, id)).roles.map(({ name }) => name))
    .toEqual([role]);
  const user = await read(steward, id);
  expect([user.username, user.status]).toEqual([username, "vip"]);
  await steward.api("POST", "/api/sessions", {
    login: username,
    password: "another password",
    device_name: "Test",
    user_agent: "test",
  });
});

test("a user is blocked for a week and unblocked", async ({ page, steward }) => {
  const { id } = await newUser(steward, "blocked");
  const blocks = () => steward.api<Blocks>("GET", `/api/users/${id}/blocks`);
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Block" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "1 week" }).click();
  await dialog.getByLabel("Reason").fill("Cheating");
  await dialog.getByRole("button", { name: "Block" }).click();
  await expect(page.getByText("In force")).toBeVisible();
  const [block] = (await blocks()).blocks;
  expect(block?.reason).toBe("Cheating");
  const days = (new Date(block?.until ?? 0).getTime() - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(7);
  await page.getByRole("button", { name: "Unblock" }).click();
  await dialog.getByRole("button", { name: "Unblock" }).click();
  await expect(page.getByText("In force")).toBeHidden();
  expect((await blocks()).blocks[0]?.lifted_at).not.toBeNull();
});

test("a profile on a network is linked and removed", async ({ page, steward }) => {
  const { id } = await newUser(steward, "linked");
  const links = async () =>
    (
      await steward.api<{ social_networks: { profile_url: string }[] }>(
        "GET",
        `/api/users/${id}/social-networks`,
      )
    ).social_networks.map(({ profile_url }) => profile_url);
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Add a profile" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Network").click();
  await page.getByRole("option", { name: "VK" }).click();
  await dialog.getByRole("textbox", { name: "Profile" }).fill("anna");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("link", { name: "anna" })).toHaveAttribute(
    "href",
    "https://vk.com/anna",
  );
  expect(await links()).toEqual(["anna"]);
  await page.getByRole("button", { name: "Remove: VK" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No profiles are linked.")).toBeVisible();
  expect(await links()).toEqual([]);
});

test("a device is added and removed", async ({ page, steward }) => {
  const { id } = await newUser(steward, "device");
  const devices = async () =>
    (
      await steward.api<{ devices: { name: string }[] }>("GET", `/api/users/${id}/devices`)
    ).devices.map(({ name }) => name);
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

test("a user without invoices is deleted", async ({ page, steward }) => {
  const { id, username } = await newUser(steward, "leaving");
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Delete" })).toBeDisabled();
  await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/users$/);
  await expect(read(steward, id)).rejects.toThrow();
});

test("deleting a user with invoices is refused, explained, and erasing is offered", async ({
  page,
  steward,
}) => {
  const { id, username } = await newUser(steward, "buyer");
  const { currencies } = await steward.api<{ currencies: { id: number }[] }>(
    "GET",
    "/api/currencies",
  );
  const { payment_gateways: gateways } = await steward.api<{
    payment_gateways: { key: string; enabled: boolean }[];
  }>("GET", "/api/payment-gateways");
  await steward.api("POST", "/api/payment-invoices", {
    user_id: id,
    amount: 5,
    currency_id: currencies[0]?.id,
    gateway: gateways.find(({ enabled }) => enabled)?.key,
  });
  await page.goto(steward.url(`/users/${id}`));
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(dialog.getByText("This user has invoices")).toBeVisible();
  await dialog.getByLabel(`Type ${username} to confirm`).fill(username);
  await dialog.getByRole("button", { name: "Erase" }).click();
  await expect(page.getByText("The user is anonymous now")).toBeVisible();
  expect((await read(steward, id)).username).not.toBe(username);
});

test("without the permission to change users nothing is offered", async ({ steward }) => {
  const { id, username } = await newUser(steward, "readonly");
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
});
