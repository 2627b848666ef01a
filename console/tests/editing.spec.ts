import { type Page, request } from "@playwright/test";
import { saveChanges, unsavedBar } from "./pages";
import { countRoles, newRole, readRole } from "./roles";
import { expect, test } from "./support";

const field = (page: Page, label: string) => page.getByRole("textbox", { name: label });
const saveButton = (page: Page) => unsavedBar(page).getByRole("button", { name: "Save" });
const saved = (page: Page) => page.getByText("Saved", { exact: true });

test("a field that both changed is decided by the person who saves last", async ({
  page,
  steward,
}) => {
  const role = await newRole(steward);
  await page.goto(steward.url(`/roles/${role.id}`));
  await field(page, "Name").fill(`${role.name} mine`);
  await field(page, "Description").fill("Mine");
  await steward.api("PUT", `/api/roles/${role.id}`, {
    name: `${role.name} theirs`,
    description: "Theirs",
  });
  await saveButton(page).click();

  const dialog = page.getByRole("dialog", { name: "This was changed while you edited it" });
  await expect(dialog).toContainText(/^.*admin changed it .*(now|second)/);
  await expect(dialog).toContainText(`${role.name} theirs`);
  await expect(dialog.getByRole("radio", { checked: true })).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: "Save the choice" })).toBeDisabled();
  await expect(dialog).toContainText(`${role.name} mine`);
  await dialog.getByRole("radio", { name: "Name: Take theirs" }).check();
  await dialog.getByRole("radio", { name: "Description: Keep yours" }).check();
  await dialog.getByRole("button", { name: "Save the choice" }).click();

  await expect(saved(page)).toBeVisible();
  await expect(field(page, "Name")).toHaveValue(`${role.name} theirs`);
  expect(await readRole(steward, role.id)).toMatchObject({
    name: `${role.name} theirs`,
    description: "Mine",
  });
});

test("a fault in what was chosen stands beside its field", async ({ page, steward }) => {
  const role = await newRole(steward);
  await page.goto(steward.url(`/roles/${role.id}`));
  await field(page, "Name").fill("n".repeat(300));
  await steward.api("PUT", `/api/roles/${role.id}`, { name: `${role.name} theirs` });
  await saveButton(page).click();
  const dialog = page.getByRole("dialog", { name: "This was changed while you edited it" });
  await dialog.getByRole("radio", { name: "Name: Keep yours" }).check();
  await dialog.getByRole("button", { name: "Save the choice" }).click();
  await expect(field(page, "Name")).toHaveAccessibleDescription(/character|long/i);
});

test("changes of different fields are both kept without a question", async ({ page, steward }) => {
  const role = await newRole(steward);
  await page.goto(steward.url(`/roles/${role.id}`));
  await field(page, "Description").fill("Mine");
  await steward.api("PUT", `/api/roles/${role.id}`, { name: `${role.name} theirs` });
  await saveButton(page).click();
  await expect(saved(page)).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await readRole(steward, role.id)).toMatchObject({
    name: `${role.name} theirs`,
    description: "Mine",
  });
});

test("a double click creates one role", async ({ page, steward }) => {
  const name = steward.unique("Twice");
  await page.goto(steward.url("/roles/create"));
  await field(page, "Name").fill(name);
  await page.getByRole("button", { name: "Create", exact: true }).dblclick();
  await expect(page).toHaveURL(/\/roles\/\d+$/);
  expect(await countRoles(steward, name)).toBe(1);
});

test("both forms of a page are saved or discarded together, also on the way out", async ({
  page,
  steward,
}) => {
  const role = await newRole(steward);
  const permission = page.getByRole("checkbox", { name: "Pages: Read" });
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  const leave = () => page.getByRole("link", { name: "Servers" }).click();
  const names = async () => {
    type Reply = { role: { permissions: { name: string }[] } };
    const { role: read } = await steward.read<Reply>(`/api/roles/${role.id}`);
    return read.permissions.map(({ name }) => name);
  };
  await page.goto(steward.url(`/roles/${role.id}`));
  await field(page, "Description").fill("Not wanted");
  await permission.check();
  await expect(unsavedBar(page)).toBeInViewport();
  await unsavedBar(page).getByRole("button", { name: "Discard" }).click();
  await expect(field(page, "Description")).toHaveValue("As it was");
  await expect(permission).not.toBeChecked();

  await field(page, "Description").fill("Saved with the permissions");
  await permission.check();
  await saveChanges(page);
  expect((await readRole(steward, role.id)).description).toBe("Saved with the permissions");
  expect(await names()).toEqual(["admin.pages.read"]);

  // What is wrong keeps the person on the page, and is shown.
  await field(page, "Name").fill("n".repeat(300));
  await unsavedBar(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Not saved.")).toBeVisible();
  await expect(field(page, "Name")).toBeFocused();
  await leave();
  await question.getByRole("button", { name: "Save" }).click();
  await expect(field(page, "Name")).toHaveAccessibleDescription(/character|long/i);
  await expect(page).toHaveURL(new RegExp(`/roles/${role.id}$`));

  await field(page, "Name").fill(`${role.name} saved`);
  await leave();
  await question.getByRole("button", { name: "Save" }).click();
  await expect(page).toHaveURL(/\/servers$/);
  expect((await readRole(steward, role.id)).name).toBe(`${role.name} saved`);

  await expect(page.getByRole("heading", { level: 1, name: "Servers" })).toBeVisible();
  await page.goBack();
  await expect(field(page, "Name")).toHaveValue(`${role.name} saved`);
  await field(page, "Name").fill("Not wanted");
  await expect(unsavedBar(page)).toBeVisible();
  await page.goForward();
  await question.getByRole("button", { name: "Stay" }).click();
  await leave();
  await question.getByRole("button", { name: "Discard" }).click();
  await expect(page).toHaveURL(/\/servers$/);
  expect((await readRole(steward, role.id)).name).toBe(`${role.name} saved`);
});

test("what is wrong with a field stands beside it, in both languages", async ({ steward }) => {
  const cases = [
    { locale: "en-GB", name: "Name", create: "Create", fault: /character|long/i },
    { locale: "ru-RU", name: "Название", create: "Создать", fault: /[а-яё]{3}/i },
  ];
  for (const { locale, name, create, fault } of cases) {
    const { page } = await steward.operator({ permissions: "all", context: { locale } });
    await page.goto(steward.url("/roles/create"));
    await field(page, name).fill("x".repeat(300));
    await page.getByRole("button", { name: create, exact: true }).click();
    await expect(field(page, name)).toHaveAccessibleDescription(fault);
    await expect(field(page, name)).toHaveAttribute("aria-invalid", "true");
  }
});

test(
  "a session that ended is renewed in place and the edit is saved",
  { tag: "@core" },
  async ({ steward }) => {
    const { page, username, password } = await steward.operator({ permissions: "all" });
    const role = await newRole(steward);
    await page.goto(steward.url(`/roles/${role.id}`));
    await field(page, "Description").fill("Typed before the session ended");
    await endOtherSessions(steward.origin, username, password);

    await saveButton(page).click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await expect(dialog.getByLabel("Username or email")).toHaveValue(username);
    await dialog.getByLabel("Password").fill(password);
    await dialog.getByRole("button", { name: "Sign in" }).click();

    await expect(saved(page)).toBeVisible();
    await expect(dialog).toHaveCount(0);
    expect((await readRole(steward, role.id)).description).toBe("Typed before the session ended");
  },
);

/** Signs in with another client and ends every session but its own. */
async function endOtherSessions(origin: string, login: string, password: string): Promise<void> {
  const client = await request.newContext({
    baseURL: origin,
    extraHTTPHeaders: { Origin: origin },
    storageState: { cookies: [], origins: [] },
  });
  await client.post("/api/console/session", { data: { login, password } });
  const reply = await client.get("/api/console/sessions");
  const { sessions } = (await reply.json()) as { sessions: { id: number; current: boolean }[] };
  for (const { id } of sessions.filter(({ current }) => !current)) {
    expect((await client.delete(`/api/console/sessions/${id}`)).ok()).toBe(true);
  }
  await client.dispose();
}
