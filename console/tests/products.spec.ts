import type { Locator, Page } from "@playwright/test";
import { findings } from "./axe";
import { type GameServer, startGameServer } from "./gameServer";
import { ready, saveChanges } from "./pages";
import { addProduct, addServer, currency } from "./products";
import { newRole } from "./roles";
import { expect, type Steward, test } from "./support";

let game: GameServer;

test.beforeAll(async () => {
  game = await startGameServer();
});

test.afterAll(() => game.stop());

const dialog = (page: Page) => page.getByRole("dialog");

interface Product {
  id: number;
  name: string;
  steps: Record<string, unknown>[];
}

/** Chooses from a list that opens on a click. */
async function choose(field: Locator, option: string | RegExp): Promise<void> {
  await field.click();
  await field.page().getByRole("option", { name: option }).first().click();
}

/** Finds a user by name while typing. */
async function findUser(field: Locator, name: string): Promise<void> {
  await field.fill(name);
  await field.page().getByRole("option", { name }).first().click();
}

/** Gives a user a product that needs a Steam profile, which the user has not. */
async function addStuckGrant(steward: Steward) {
  const server = await addServer(steward);
  const product = await addProduct(steward, [
    { kind: "rcon", server_ids: [server.id], command: "vip {steam_id64}" },
  ]);
  const user = await steward.addUser("buyer");
  const body = { user_id: user.id, product_id: product.id };
  const { grant } = await steward.api<{ grant: { id: number } }>("POST", "/api/grants", body);
  return { server, product, user, grant };
}

test(
  "a product with a role and a command is made, with a preview for a user",
  { tag: "@core" },
  async ({ page, steward }) => {
    const role = await newRole(steward);
    const server = await addServer(steward);
    const user = await steward.addUser("preview");
    const name = steward.unique("Gold");
    await page.goto(steward.url("/products/create"));
    await page.getByRole("textbox", { name: "Name" }).fill(name);
    await page.getByRole("textbox", { name: "Price" }).fill("499.50");
    await page.getByRole("button", { name: "Add a role" }).click();
    await choose(page.getByRole("combobox", { name: "Role" }), role.name);
    await page.getByRole("button", { name: "90 days" }).click();
    await page.getByRole("button", { name: "Add a command" }).click();
    await choose(page.getByRole("combobox", { name: "Servers" }), server.name);
    await page.keyboard.press("Escape");
    const command = page.getByRole("textbox", { name: "Command", exact: true });
    await command.fill("vip  {days} {name}");
    await expect(page.getByText("There is no placeholder {name}.")).toBeVisible();

    await command.fill("vip ");
    await page.getByRole("button", { name: "{steam_id2}" }).click();
    await expect(command).toHaveValue('vip "{steam_id2}"');
    await command.press("End");
    await command.pressSequentially(" {days} {username}");
    await expect(page.getByText('vip "STEAM_1:1:1" 90 player')).toBeVisible();
    await findUser(page.getByRole("combobox", { name: "User" }), user.username);
    await expect(
      page.getByText(`${user.username} has linked no Steam profile`, { exact: false }),
    ).toBeVisible();
    await expect(page.getByText(`vip "{steam_id2}" 90 ${user.username}`)).toBeVisible();
    expect(await findings(page)).toEqual([]);

    await page.getByRole("button", { name: "Move step 2 up" }).click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
    const { products } = await steward.read<{ products: Product[] }>("/api/products?per_page=100");
    expect(products.find((product) => product.name === name)?.steps).toEqual([
      {
        kind: "rcon",
        server_ids: [server.id],
        command: 'vip "{steam_id2}" {days} {username}',
        undo_command: null,
        repeatable: false,
      },
      { kind: "role", role_id: role.id, seconds: 90 * 86_400 },
    ]);

    await page.getByRole("button", { name: "Remove step 1" }).click();
    await saveChanges(page);
    await page.goto(steward.url("/products"));
    await expect(page.getByRole("row", { name })).toContainText(`${role.name} (90 days)`);
  },
);

test("faults stand beside the inputs of their step", async ({ page, steward }) => {
  await page.goto(steward.url("/products/create"));
  await page.getByRole("button", { name: "Add a command" }).click();
  await page.getByRole("button", { name: "Add a plugin item" }).click();
  await page.getByRole("textbox", { name: /Data for the plugin/ }).fill("{");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const item = page.getByRole("listitem").filter({ hasText: "2. Plugin item" });
  await expect(item.getByText("Must be an object.")).toBeVisible();
  await expect(item.getByText("Choose 1 to 50.")).toBeVisible();
});

test(
  "a product is sold, given, and taken back by a refund",
  { tag: "@core" },
  async ({ page, steward }) => {
    const server = await addServer(steward, game.port, game.password);
    const product = await addProduct(steward, [
      {
        kind: "rcon",
        server_ids: [server.id],
        command: "vip {user_id}",
        undo_command: "unvip {user_id}",
      },
      { kind: "rcon", server_ids: [server.id], command: "say hello", undo_command: null },
    ]);
    const user = await steward.addUser("buyer");
    await page.goto(steward.url(`/products/${product.id}`));
    await page.getByRole("link", { name: "New invoice" }).click();
    // The page of the product has an input for a user, too.
    await expect(page.getByRole("heading", { name: "New invoice", level: 1 })).toBeVisible();
    await findUser(page.getByRole("combobox", { name: "User" }), user.username);
    await choose(page.getByRole("combobox", { name: "Gateway" }), /./);
    await expect(page.getByRole("textbox", { name: "Amount" })).toHaveValue("500");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await expect(page.getByText("It is given once the invoice is paid.")).toBeVisible();

    await page.getByRole("button", { name: "Mark as paid" }).click();
    await expect(dialog(page)).toContainText(
      `${product.name} is given to ${user.username}: ${product.role.name} (30 days), 2 commands.`,
    );
    await dialog(page).getByRole("button", { name: "Mark as paid" }).click();
    const grant = page.getByRole("article");
    await expect(grant.getByText("Given", { exact: true })).toBeVisible({ timeout: 30_000 });
    await expect(grant.getByRole("listitem")).toHaveCount(3);
    await grant.getByText("Reply of the console").first().click();
    await expect(grant.getByText(`you said vip ${user.id}`)).toBeVisible();
    expect(await findings(page)).toEqual([]);

    await page.getByRole("button", { name: "Refund" }).click();
    const back = dialog(page).getByRole("list", { name: "Will be taken back" });
    await expect(back).toContainText(`the unused time of the role ${product.role.name}`);
    await expect(back).toContainText("1 command, by its undo command");
    const stays = dialog(page).getByRole("list", { name: "Cannot be taken back" });
    await expect(stays).toContainText("1 command that has no undo command");
    await dialog(page).getByRole("button", { name: "Chargeback" }).click();
    await dialog(page).getByRole("textbox", { name: "Reason" }).fill("The bank took it back");
    expect(await findings(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Refund" }).last().click();
    await expect(page.getByText("Charged back").first()).toBeVisible();
    await expect(page.getByText("Failed", { exact: true })).toHaveCount(0);
    await expect(page.getByText("The bank took it back")).toBeVisible();
    await expect(grant.getByText("Stays", { exact: true })).toBeVisible();
    await expect(grant.getByText("Taken back", { exact: true })).not.toHaveCount(0);
  },
);

test(
  "what needs attention is on the dashboard, and a person settles it",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { user } = await addStuckGrant(steward);
    await page.goto(steward.url("/"));
    await page.getByRole("link", { name: /not given in full/ }).click();
    await expect(page).toHaveURL(/state=attention/);
    const grant = page.getByRole("article").filter({ hasText: user.username });
    await expect(grant.getByText("Needs attention")).toBeVisible();
    await expect(grant.getByText("The user has linked no Steam profile.")).toBeVisible();
    expect(await findings(page)).toEqual([]);

    await grant.getByRole("button", { name: "Mark as done" }).click();
    await dialog(page).getByRole("button", { name: "Mark as done" }).click();
    await expect(
      dialog(page).getByText("This field is required.").or(dialog(page).getByText(/Must/)),
    ).toBeVisible();
    await dialog(page).getByRole("textbox", { name: "Note" }).fill("Given on the server");
    await dialog(page).getByRole("button", { name: "Mark as done" }).click();
    await expect(grant).toHaveCount(0);

    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect(grant.getByText("Given", { exact: true })).toBeVisible();
  },
);

test("what waits for a game server is on the dashboard", async ({ page, steward }) => {
  const server = await addServer(steward);
  const command = { kind: "rcon", server_ids: [server.id], command: "vip", undo_command: null };
  const product = await addProduct(steward, [command]);
  const user = await steward.addUser("waiting");
  const body = { product_id: product.id, user_id: user.id, reason: "Won a contest" };
  await steward.api("POST", "/api/grants", body);
  const waiting = () =>
    steward.read<{ grants: { steps: { error: string | null }[] }[] }>(
      `/api/grants?user_id=${user.id}`,
    );
  await expect.poll(async () => JSON.stringify(await waiting())).toMatch(/"error":"/);
  await page.goto(steward.url("/"));
  await page.getByRole("link", { name: /waits? for a game server$/ }).click();
  await expect(page).toHaveURL(/state=pending/);
  const grant = page.getByRole("article").filter({ hasText: user.username });
  await expect(grant.getByText("In progress")).toBeVisible();
});

test(
  "a user is given a product by hand, which is taken back",
  { tag: "@core" },
  async ({ page, steward }) => {
    const product = await addProduct(steward);
    const user = await steward.addUser("lucky");
    await page.goto(steward.url(`/users/${user.id}`));
    await page.getByRole("button", { name: "Give product" }).click();
    await choose(dialog(page).getByRole("combobox", { name: "Product" }), product.name);
    await dialog(page).getByRole("textbox", { name: "Reason" }).fill("Won a contest");
    await dialog(page).getByRole("button", { name: "Give product" }).click();
    const grant = page.getByRole("article").filter({ hasText: product.name });
    await expect(grant.getByText("Given", { exact: true })).toBeVisible();
    await grant.getByRole("button", { name: "Take back" }).click();
    await dialog(page).getByRole("button", { name: "Take back" }).click();
    await expect(grant.getByText("Taken back").first()).toBeVisible();

    await page.goto(steward.url(`/products/${product.id}`));
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByRole("button", { name: "Delete" }).click();
    await expect(dialog(page)).toContainText("Deactivate it instead.");
    await dialog(page).getByRole("link", { name: "Show its grants" }).click();
    await expect(page.getByRole("article").filter({ hasText: product.name })).toBeVisible();
  },
);

test("those who may only read see no buttons", async ({ steward }) => {
  const { product, grant } = await addStuckGrant(steward);
  const { page } = await steward.operator({
    permissions: ["admin.products.read", "admin.currencies.read"],
  });
  await page.goto(steward.url(`/products/${product.id}`));
  await ready(page);
  await expect(page.getByRole("textbox", { name: "Name" })).toBeDisabled();
  const names = /^(Save|Delete|Add a|Remove|Move|Try again|Mark as done|Take back|Cancel)/;
  await expect(page.getByRole("main").getByRole("button", { name: names })).toHaveCount(0);
  await page.goto(steward.url("/grants?state=attention"));
  await expect(page.getByRole("article", { name: `Grant ${grant.id}` })).toBeVisible();
  await expect(page.getByRole("main").getByRole("button", { name: names })).toHaveCount(0);
});

test(
  "commands are refused in words without the right to run them",
  { tag: "@core" },
  async ({ steward }) => {
    const sold = await currency(steward);
    const { page } = await steward.operator({
      permissions: ["admin.products", "admin.currencies.read", "admin.servers.read"],
    });
    const { product } = await addStuckGrant(steward);
    await page.goto(steward.url("/products/create"));
    await ready(page);
    await expect(page.getByRole("button", { name: "Add a command" })).toHaveCount(0);
    await expect(page.getByText(sold.code)).toBeVisible();
    await page.goto(steward.url(`/products/${product.id}`));
    await page.getByRole("textbox", { name: "Command", exact: true }).fill("quit");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(
      page.getByRole("alert").filter({ hasText: "This needs the permission" }),
    ).toBeVisible();
  },
);
