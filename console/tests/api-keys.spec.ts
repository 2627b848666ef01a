import type { Page } from "@playwright/test";
import { saveChanges } from "./pages";
import { expect, test } from "./support";

interface Key {
  id: number;
  name: string;
  active: boolean;
  permissions: { name: string }[];
}

interface Restrictions {
  expires_at: string | null;
  allowed_ips: string[] | null;
  requests_per_second: number | null;
  previous_key_valid_until: string | null;
}

const VALUE = /^stw_\w{46}$/;
const idOf = (page: Page) => Number(new URL(page.url()).pathname.split("/").pop());

test(
  "a key is created with permissions and restrictions, and its value works",
  { tag: "@core" },
  async ({ page, steward }) => {
    const name = steward.unique("Shop");
    await page.goto(steward.url("/api-keys/create"));
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Payments bot" }).click();
    await page.getByRole("button", { name: "90 days" }).click();
    await page.getByLabel("Networks it can be used from").fill("127.0.0.0/8");
    await page.getByLabel("Networks it can be used from").press("Enter");
    await page.getByLabel("Requests per second").fill("25");
    await page.getByRole("button", { name: "Create the key" }).click();
    await expect(page.getByRole("heading", { name: `${name} was created` })).toBeVisible();
    await expect(page.getByText("Restrictions: saved")).toBeVisible();
    await expect(page.getByText("Permissions: saved")).toBeVisible();
    const value = await page.getByRole("code").innerText();
    expect(value).toMatch(VALUE);

    const reply = await page.request.get(`${steward.origin}/api/permissions`, {
      headers: { "X-API-Key": value },
    });
    const { permissions } = (await reply.json()) as { permissions: { name: string }[] };
    expect(permissions.map((permission) => permission.name).sort()).toEqual([
      "admin.currencies.read",
      "admin.payments",
      "admin.users.read",
    ]);
    await page.getByRole("link", { name: "Open the key" }).click();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    const { restrictions } = await steward.read<{ restrictions: Restrictions }>(
      `/api/api-keys/${idOf(page)}/restrictions`,
    );
    expect(restrictions).toMatchObject({ allowed_ips: ["127.0.0.0/8"], requests_per_second: 25 });
    expect(Date.parse(restrictions.expires_at ?? "")).toBeGreaterThan(Date.now() + 89 * 86_400_000);
  },
);

test(
  "the key of a game plugin may do what the plugin does",
  { tag: "@core" },
  async ({ page, steward }) => {
    const name = steward.unique("Plugin");
    await page.goto(steward.url("/api-keys/create"));
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Game plugin" }).click();
    await page.getByRole("button", { name: "Create the key" }).click();
    await expect(page.getByText("Permissions: saved")).toBeVisible();
    const value = await page.getByRole("code").innerText();
    const reply = await page.request.get(`${steward.origin}/api/permissions`, {
      headers: { "X-API-Key": value },
    });
    const { permissions } = (await reply.json()) as { permissions: { name: string }[] };
    expect(permissions.map((permission) => permission.name).sort()).toEqual([
      "admin.bans",
      "admin.deliveries",
    ]);
  },
);

test(
  "if the restrictions are refused, the key gets no permissions, and the value stays",
  { tag: "@core" },
  async ({ page, steward }) => {
    const name = steward.unique("Shop");
    await page.goto(steward.url("/api-keys/create"));
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Read only" }).click();
    await page.getByLabel("Networks it can be used from").fill("nowhere");
    await page.getByLabel("Networks it can be used from").press("Enter");
    await page.getByRole("button", { name: "Create the key" }).click();
    await expect(page.getByText("Restrictions: not saved")).toBeVisible();
    await expect(page.getByText("Permissions: not saved yet")).toBeVisible();
    expect(await page.getByRole("code").innerText()).toMatch(VALUE);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByText("Restrictions: not saved")).toBeVisible();
    await page.getByRole("link", { name: "Open the key" }).click();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    const { api_key } = await steward.read<{ api_key: Key }>(`/api/api-keys/${idOf(page)}`);
    expect(api_key.permissions).toEqual([]);
  },
);

async function newKey(steward: { unique(name: string): string; api: Api }) {
  const { api_key } = await steward.api<{ api_key: Key }>("POST", "/api/api-keys", {
    name: steward.unique("Key"),
  });
  return api_key;
}

type Api = <T>(method: string, path: string, body?: unknown) => Promise<T>;

test(
  "a key is renamed, deactivated, restricted and gets permissions",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { id } = await newKey(steward);
    const read = async () => (await steward.read<{ api_key: Key }>(`/api/api-keys/${id}`)).api_key;
    const name = steward.unique("Renamed");
    await page.goto(steward.url(`/api-keys/${id}`));

    const settings = page.getByRole("region", { name: "Name and state" });
    await settings.getByLabel("Name").fill(name);
    await settings.getByRole("switch", { name: "Active" }).uncheck();
    await saveChanges(page);
    await expect(page.getByText("Deactivated", { exact: true })).toBeVisible();
    expect(await read()).toMatchObject({ name, active: false });

    const restrictions = page.getByRole("region", { name: "Restrictions" });
    await restrictions.getByLabel("Requests per second").fill("7");
    await saveChanges(page);
    await expect
      .poll(async () => {
        const path = `/api/api-keys/${id}/restrictions`;
        const stored = await steward.read<{ restrictions: Restrictions }>(path);
        return stored.restrictions.requests_per_second;
      })
      .toBe(7);

    const permissions = page.getByRole("region", { name: "Permissions" });
    await permissions.getByRole("checkbox", { name: "Audit log: Read" }).check();
    await saveChanges(page);
    await expect
      .poll(async () => (await read()).permissions.map((permission) => permission.name))
      .toEqual(["admin.audit.read"]);
  },
);

test("a key is rotated, replaced and deleted", { tag: "@core" }, async ({ page, steward }) => {
  const { id, name } = await newKey(steward);
  const value = page.getByRole("dialog").getByLabel("Value", { exact: true });
  await page.goto(steward.url(`/api-keys/${id}`));

  await page.getByRole("button", { name: "Rotate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
  await expect(value).toHaveText(VALUE);
  const rotated = await value.innerText();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await expect(page.getByText("The previous value works until")).toBeVisible();
  const stored = await steward.read<{ restrictions: Restrictions }>(
    `/api/api-keys/${id}/restrictions`,
  );
  const until = Date.parse(stored.restrictions.previous_key_valid_until ?? "");
  expect(Math.abs(until - Date.now() - 86_400_000)).toBeLessThan(60_000);

  await page.getByRole("button", { name: "Replace at once" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Replace at once" }).click();
  await expect(value).toHaveText(VALUE);
  expect(await value.innerText()).not.toBe(rotated);
  const old = await page.request.get(`${steward.origin}/api/permissions`, {
    headers: { "X-API-Key": rotated },
  });
  expect(old.status()).toBe(401);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Delete the key" }).click();
  await page.getByLabel(`Type ${name} to confirm`).fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/api-keys$/);
  await expect(steward.api("GET", `/api/api-keys/${id}`)).rejects.toThrow(/404/);
});

test(
  "a key without permissions is created only after a question",
  { tag: "@core" },
  async ({ page, steward }) => {
    const name = steward.unique("Useless");
    await page.goto(steward.url("/api-keys/create"));
    await page.getByLabel("Name").fill(name);
    const create = page.getByRole("button", { name: "Create the key" });
    const question = page.getByRole("dialog", { name: "Create a key without permissions?" });
    await create.click();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Choose what the key may do.")).toBeVisible();
    await create.click();
    await question.getByRole("button", { name: "Create it" }).click();
    await expect(page.getByText(`${name} was created`)).toBeVisible();
  },
);

test(
  "a key that expires soon stands out in the list",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { id, name } = await newKey(steward);
    await steward.api("PUT", `/api/api-keys/${id}/restrictions`, {
      expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    });
    await page.goto(steward.url("/api-keys?perPage=100"));
    await expect(page.getByRole("row", { name: new RegExp(name) })).toContainText("Expires soon");
  },
);
