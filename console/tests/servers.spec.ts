import type { components } from "../src/api/schema";
import { type GameServer, startGameServer } from "./gameServer";
import { expect, type Steward, test } from "./support";

type Detail = components["schemas"]["SingleServer"];
type List = components["schemas"]["ServerList"];
type History = components["schemas"]["ServerHistoryReply"];

let game: GameServer;

test.beforeAll(async () => {
  game = await startGameServer();
});

test.afterAll(() => game.stop());

async function add(steward: Steward, changes: Record<string, unknown> = {}) {
  const { server } = await steward.api<{ server: { id: number; name: string } }>(
    "POST",
    "/api/servers",
    {
      name: steward.unique("server"),
      ip: "127.0.0.1",
      port: game.port,
      game: "css",
      rcon_password: game.password,
      ...changes,
    },
  );
  return server;
}

async function detail(steward: Steward, id: number) {
  return (await steward.read<Detail>(`/api/servers/${id}?include=query_port`)).server;
}

/** Whether the history of a server has a query. */
async function queried(steward: Steward, id: number) {
  const { history } = await steward.read<History>(`/api/servers/${id}/history`);
  return history.some(({ samples }) => samples > 0);
}

test("a new server is tested, corrected and kept", async ({ page, steward }) => {
  const name = steward.unique("added");
  await page.goto(steward.url("/servers/create"));
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Game").fill("counter-strike: source");
  await page.getByRole("option", { name: /Counter-Strike: Source/ }).click();
  await page.getByLabel("Address").fill("127.0.0.1:9");
  await page.getByRole("textbox", { name: /RCON password/ }).fill(game.password);
  await page.getByRole("button", { name: "Save and test" }).click();
  await expect(page.getByText("Saved, but it does not answer")).toBeVisible();

  await expect(page.getByRole("button", { name: "Close" })).toBeVisible();
  await page.getByLabel("Address").fill(`localhost:${game.port}`);
  await expect(page.getByText("This is 127.0.0.1 now.")).toBeVisible();
  await page.getByRole("button", { name: "Save and test again" }).click();
  await expect(page.getByText("Saved, and it answers")).toBeVisible();
  await expect(page.getByText("de_test")).toBeVisible();
  await page.getByRole("link", { name: "Open the server" }).click();
  await expect(page.getByRole("heading", { name })).toBeVisible();
  await expect(page.getByText("Gordon")).toBeVisible();

  const { servers } = await steward.read<List>("/api/servers");
  const added = servers.filter((server) => server.name === name);
  expect(added.map(({ port, game: id }) => ({ port, id }))).toEqual([
    { port: game.port, id: "css" },
  ]);
});

test("an address that may not be contacted comes with the line that allows it", async ({
  page,
  steward,
}) => {
  await page.goto(steward.url("/servers/create"));
  await page.getByLabel("Address").fill("203.0.113.9:27015");
  await expect(page.getByLabel("steward.toml", { exact: true })).toContainText(
    /^server-networks = \[.*203\.0\.113\.9/,
  );
  await page.getByLabel("Address").fill("play.example.invalid:27015");
  await page.getByRole("button", { name: "Save and test" }).click();
  await expect(page.getByLabel("Address")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("This field is required.")).toHaveCount(0);
});

test("an address without a port says what is missing", async ({ page, steward }) => {
  await page.goto(steward.url("/servers/create"));
  await page.getByLabel("Name").fill(steward.unique("portless"));
  await page.getByLabel("Game").fill("css");
  await page.getByLabel("Address").fill("127.0.0.1");
  await page.getByRole("textbox", { name: /RCON password/ }).fill("secret");
  await page.getByRole("button", { name: "Save and test" }).click();
  await expect(page.getByLabel("Address")).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Address")).toHaveAccessibleDescription(/Add the port/);
});

test("a server that does not answer can be deleted again", async ({ page, steward }) => {
  const name = steward.unique("mistake");
  await page.goto(steward.url("/servers/create"));
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Game").fill("css");
  await page.getByLabel("Address").fill("127.0.0.1:9");
  await page.getByRole("textbox", { name: /RCON password/ }).fill("secret");
  await page.getByRole("button", { name: "Save and test" }).click();
  await page.getByRole("button", { name: "Delete it again" }).click();
  await expect(page.getByRole("heading", { name: "Servers" })).toBeVisible();

  const { servers } = await steward.read<List>("/api/servers");
  expect(servers.map((server) => server.name)).not.toContain(name);
});

test("the list shows live players and switches servers off", async ({ page, steward }) => {
  const { id, name } = await add(steward);
  await steward.api("POST", `/api/servers/${id}/query`);
  await page.goto(steward.url("/servers"));
  const row = page.getByRole("row", { name });
  await expect(row).toContainText("Online");
  await expect(row).toContainText("2 / 24");
  await expect(row).toContainText("de_test");

  await row.getByLabel(`Enable ${name}`).click();
  await expect(row).toContainText("Disabled");
  await expect.poll(async () => (await detail(steward, id)).enabled).toBe(false);
});

test("the period of the chart is in the address", async ({ page, steward }) => {
  const { id } = await add(steward);
  // The chart is read once, so the first query must be before it.
  await expect.poll(() => queried(steward, id)).toBe(true);
  await page.goto(steward.url(`/servers/${id}?period=7d`));
  await expect(page.getByRole("button", { name: "7 days" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await page.getByRole("button", { name: "30 days" }).click();
  await expect(page).toHaveURL(/period=30d/);
  // The server was added just now.
  await expect(page.getByText(/ since \d/)).toBeVisible();
});

test("the console runs commands and brings back earlier ones", async ({ page, steward }) => {
  const { id } = await add(steward);
  await page.goto(steward.url(`/servers/${id}?tab=console`));
  const command = page.getByLabel("Command", { exact: true });
  await command.fill("say hello");
  await command.press("Enter");
  const output = page.getByRole("log");
  await expect(output).toContainText("you said say hello");
  await command.press("ArrowUp");
  await expect(command).toHaveValue("say hello");

  await page.getByRole("tab", { name: "Overview" }).click();
  await page.getByRole("tab", { name: "Console" }).click();
  await expect(output).toContainText("you said say hello");
});

test("a wrong RCON password is explained", async ({ page, steward }) => {
  const { id } = await add(steward, { rcon_password: "wrong" });
  await page.goto(steward.url(`/servers/${id}?tab=console`));
  await page.getByLabel("Command", { exact: true }).fill("status");
  await page.getByRole("button", { name: "Run" }).click();
  await expect(page.getByRole("log")).toContainText("refused the stored RCON password");
});

test(
  "a person without the permission for consoles gets none",
  { tag: "@core" },
  async ({ steward }) => {
    const { id } = await add(steward);
    const { page } = await steward.operator({ permissions: ["admin.servers.read"] });
    await page.goto(steward.url(`/servers/${id}`));
    await expect(page.getByRole("tab", { name: "Overview" })).toBeVisible();
    await expect(page.getByRole("tab", { name: "Console" })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Delete" })).toHaveCount(0);
  },
);

test("settings are changed, and a lost password is announced", async ({ page, steward }) => {
  const { id } = await add(steward, { enabled: false });
  const name = steward.unique("renamed");
  await page.goto(steward.url(`/servers/${id}?tab=settings`));
  await page.getByLabel("Name").fill(name);
  await page.getByRole("spinbutton", { name: /^Query port/ }).fill("27016");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name })).toBeVisible();
  expect(await detail(steward, id)).toMatchObject({ name, query_port: 27016 });

  await page.getByLabel("Address").fill("nowhere");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByLabel("Address")).toHaveAttribute("aria-invalid", "true");
  await page.getByLabel("Address").fill(`127.0.0.2:${game.port}`);
  await expect(page.getByText(/the stored RCON password is removed/)).toBeVisible();
});

test("a server is deleted after a question", async ({ page, steward }) => {
  const { id, name } = await add(steward, { enabled: false });
  await page.goto(steward.url(`/servers/${id}`));
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "Servers" })).toBeVisible();
  const { servers } = await steward.read<List>("/api/servers");
  expect(servers.map((server) => server.name)).not.toContain(name);
});
