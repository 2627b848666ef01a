import type { components } from "../src/api/schema";
import { type Receiver, startReceiver } from "./receiver";
import { expect, type Steward, test } from "./support";

type Webhook = components["schemas"]["WebhookItem"];

let working: Receiver;
let failing: Receiver;

test.beforeAll(async () => {
  working = await startReceiver(200);
  failing = await startReceiver(500);
});

test.afterAll(() => {
  working.stop();
  failing.stop();
});

async function add(steward: Steward, url: string, events: string[] = ["roles.create"]) {
  const { webhook } = await steward.api<{ webhook: Webhook }>("POST", "/api/webhooks", {
    name: steward.unique("webhook"),
    url,
    events,
  });
  return webhook;
}

async function one(steward: Steward, id: number) {
  return (await steward.read<{ webhook: Webhook }>(`/api/webhooks/${id}`)).webhook;
}

test(
  "a webhook is created for some events, and its secret shown once",
  { tag: "@core" },
  async ({ page, steward }) => {
    const name = steward.unique("created");
    await page.goto(steward.url("/webhooks/create"));
    await page.getByLabel("URL").fill(working.url);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Only some").click();
    await page.getByRole("checkbox", { name: "Invoices", exact: true }).click();
    const users = page.getByRole("group", { name: "Users", exact: true });
    await users.getByRole("checkbox", { name: "blocked", exact: true }).click();
    await page.getByRole("button", { name: "Create" }).click();

    await expect(page.getByLabel("Signing secret", { exact: true })).toContainText("whsec_");
    await page.getByRole("button", { name: "I have copied it" }).click();
    await expect(page.getByRole("heading", { name })).toBeVisible();
    const id = Number(/webhooks\/(\d+)/.exec(page.url())?.[1]);
    expect((await one(steward, id)).events.sort()).toEqual(["payment_invoices.*", "users.block"]);
  },
);

test("without an event the form says what is missing", async ({ page, steward }) => {
  await page.goto(steward.url("/webhooks/create"));
  await page.getByLabel("URL").fill(working.url);
  await page.getByLabel("Only some").click();
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "1 to 50" })).toBeVisible();
});

test("a webhook is edited and switched off", async ({ page, steward }) => {
  const { id } = await add(steward, working.url);
  const renamed = steward.unique("renamed");
  await page.goto(steward.url(`/webhooks/${id}?tab=settings`));
  await page.getByLabel("Name").fill(renamed);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: renamed })).toBeVisible();
  await page.getByLabel(`Send events to ${renamed}`).click();
  await expect(page.getByText("Off", { exact: true })).toBeVisible();
  await expect.poll(() => one(steward, id)).toMatchObject({ name: renamed, active: false });
});

test("a test shows what came back", async ({ page, steward }) => {
  const { id } = await add(steward, working.url);
  await page.goto(steward.url(`/webhooks/${id}`));
  await page.getByRole("button", { name: "Send a test" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("The receiver accepted the sample event.");
  await expect(dialog).toContainText("answered with 200");
  expect(working.types).toContain("webhooks.test");
});

test("the secret is rotated", { tag: "@core" }, async ({ page, steward }) => {
  const { id, name } = await add(steward, working.url);
  await page.goto(steward.url(`/webhooks/${id}`));
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: /Rotate/ }).click();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await expect(page.getByLabel("Signing secret", { exact: true })).toContainText("whsec_");
  await page.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const { audit_log } = await steward.read<components["schemas"]["AuditEntryList"]>(
    `/api/audit-log?resource=webhooks&resource_id=${id}`,
  );
  expect(audit_log.map(({ action }) => action)).toContain("webhooks.rotate_secret");
});

test("a failed delivery shows its attempts and is sent again", async ({ page, steward }) => {
  const { id } = await add(steward, failing.url);
  await steward.api("POST", "/api/roles", { name: steward.unique("role") });
  await expect.poll(() => failing.types.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const sent = failing.types.length;

  await page.goto(steward.url(`/webhooks/${id}?state=pending`));
  await page.getByRole("button", { name: /roles\.create/ }).click();
  await expect(page.getByText("answered with 500").first()).toBeVisible();
  await page.getByRole("button", { name: "Send again" }).click();
  await expect(page.getByText("The event is sent again")).toBeVisible();
  await expect.poll(() => failing.types.length, { timeout: 20_000 }).toBeGreaterThan(sent);
});

test("a period is sent again", async ({ page, steward }) => {
  await steward.api("POST", "/api/roles", { name: steward.unique("role") });
  const { id, name } = await add(steward, working.url);
  const before = working.types.length;
  await page.goto(steward.url(`/webhooks/${id}`));
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: /period/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
  await expect(page.getByText(/(is|are) sent again$/)).toBeVisible();
  await expect.poll(() => working.types.length, { timeout: 20_000 }).toBeGreaterThan(before);
});

test("a webhook is deleted after a question", async ({ page, steward }) => {
  const { id, name } = await add(steward, working.url);
  await page.goto(steward.url(`/webhooks/${id}`));
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("heading", { name: "Webhooks" })).toBeVisible();
  const { webhooks } = await steward.read<{ webhooks: Webhook[] }>("/api/webhooks");
  expect(webhooks.map((webhook) => webhook.id)).not.toContain(id);
});

test(
  "a webhook says whose permissions limit what it sends",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { id } = await add(steward, working.url);
    await page.goto(steward.url(`/webhooks/${id}?tab=settings`));
    const panel = page.getByRole("tabpanel", { name: "Settings" });
    await expect(panel.getByText("It sends only what they may read.")).toBeVisible();
    await panel.getByLabel("Name").fill(steward.unique("saved"));
    await page.getByRole("button", { name: "Save" }).click();
    await expect(panel.getByRole("link", { name: steward.admin.username })).toBeVisible();
  },
);
