import { expect, test } from "./support";

interface Operator {
  user_id: number;
  active: boolean;
  two_factor: boolean;
  permissions: { id: number; name: string }[];
}

test("a user who is searched for gets access", async ({ page, steward }) => {
  const username = steward.unique("newcomer");
  const { user } = await steward.api<{ user: { id: number } }>("POST", "/api/users", {
    username,
    email: `${username}@example.com`,
    password: "a password for tests",
  });
  await page.goto(steward.url("/operators/create"));
  await page.getByLabel("User", { exact: true }).fill(username);
  await page.getByRole("option", { name: new RegExp(username) }).click();
  await page.getByRole("checkbox", { name: "Users: Read" }).check();
  await page.getByRole("button", { name: "Grant access" }).click();
  await expect(page.getByRole("heading", { level: 1, name: username })).toBeVisible();
  const { operator } = await steward.api<{ operator: Operator }>(
    "GET",
    `/api/operators/${user.id}`,
  );
  expect(operator.active).toBe(true);
  expect(operator.permissions.map(({ name }) => name)).toEqual(["admin.users.read"]);
});

test("the user in the address is chosen, and an operator is not granted access twice", async ({
  page,
  steward,
}) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  await page.goto(steward.url(`/operators/create?user=${operator.id}`));
  await expect(page.getByLabel("User", { exact: true })).toHaveValue(operator.username);
  await expect(page.getByText(`${operator.username} is an operator already.`)).toBeVisible();
  await page.getByRole("link", { name: "Change their access" }).click();
  await expect(page).toHaveURL(new RegExp(`/operators/${operator.id}$`));
});

test("an operator is changed, deactivated and removed", async ({ page, steward }) => {
  const { id, username } = await steward.addOperator(["admin.users.read"]);
  const read = async () =>
    (await steward.api<{ operator: Operator }>("GET", `/api/operators/${id}`)).operator;
  await page.goto(steward.url(`/operators/${id}`));
  await page.getByRole("checkbox", { name: "Roles: Read" }).check();
  await page.getByRole("switch", { name: "Active" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await read()).active).toBe(false);
  await expect(page.getByText("Deactivated", { exact: true })).toBeVisible();
  const changed = await read();
  expect(changed.permissions.map(({ name }) => name).sort()).toEqual([
    "admin.roles.read",
    "admin.users.read",
  ]);

  await page.getByRole("button", { name: "Remove access" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(username);
  await dialog.getByRole("button", { name: "Remove access" }).click();
  await expect(page).toHaveURL(/\/operators$/);
  await expect(read()).rejects.toThrow(/404/);
});

test("what one lacks cannot be granted, and who has more cannot be changed", async ({
  steward,
}) => {
  const limited = await steward.operator({
    permissions: ["admin.api-keys", "admin.users.read"],
  });
  const other = await steward.addOperator(["admin.users.read"]);
  const { page } = limited;
  await page.goto(steward.url(`/operators/${other.id}`));
  await expect(page.getByRole("checkbox", { name: "Users: Read" })).toBeEnabled();
  await expect(page.getByRole("checkbox", { name: "Payments: Read" })).toBeDisabled();
  await expect(page.getByText("You cannot grant this").first()).toBeVisible();

  await page.goto(steward.url(`/operators/${steward.admin.id}`));
  await expect(page.getByText("has permissions that you do not have")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Remove access" })).toHaveCount(0);
});
