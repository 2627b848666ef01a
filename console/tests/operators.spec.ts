import { expect, test } from "./support";

interface Operator {
  user_id: number;
  active: boolean;
  two_factor: boolean;
  permissions: { id: number; name: string }[];
}

test("a user who is searched for gets access", { tag: "@core" }, async ({ page, steward }) => {
  const user = await steward.addUser("newcomer");
  // The form asks whether the user is an operator already, and the answer comes late.
  await page.route("**/api/users/*include=operator*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await page.goto(steward.url("/operators/create"));
  await page.getByRole("button", { name: "Choose a user" }).click();
  await page.getByLabel("User", { exact: true }).fill(user.username);
  await page.getByRole("option", { name: new RegExp(user.username) }).click();
  await page.getByRole("checkbox", { name: "Users: Read" }).check();
  await page.getByRole("button", { name: "Grant access" }).click();
  await expect(page.getByRole("heading", { level: 1, name: user.username })).toBeVisible();
  const { operator } = await steward.read<{ operator: Operator }>(`/api/operators/${user.id}`);
  expect(operator.active).toBe(true);
  expect(operator.permissions.map(({ name }) => name)).toEqual(["admin.users.read"]);
});

test(
  "the user in the address is chosen, and an operator is not granted access twice",
  { tag: "@core" },
  async ({ page, steward }) => {
    const operator = await steward.addOperator(["admin.users.read"]);
    await page.goto(steward.url(`/operators/create?user=${operator.id}`));
    await expect(page.getByLabel("User", { exact: true })).toHaveValue(operator.username);
    await expect(page.getByText(`${operator.username} is an operator already.`)).toBeVisible();
    await page.getByRole("link", { name: "Change their access" }).click();
    await expect(page).toHaveURL(new RegExp(`/operators/${operator.id}$`));
  },
);

test(
  "a link invites a moderator, who sets up an account with it",
  { tag: "@core" },
  async ({ page, steward }) => {
    const note = steward.unique("Julia");
    await page.goto(steward.url("/operators/create"));
    const create = async () => {
      await page.getByLabel("Who is it for?").fill(note);
      await page.getByRole("button", { name: "Moderator" }).click();
      await page.getByRole("button", { name: "Create the link" }).click();
      const dialog = page.getByRole("dialog", { name: "The invitation is ready" });
      const link =
        (await dialog.getByLabel("Invitation link", { exact: true }).textContent()) ?? "";
      await dialog.getByRole("button", { name: "Close" }).click();
      return link;
    };
    const link = await create();
    const open = page.getByRole("region", { name: "Open invitations" });
    await expect(open.getByText(note)).toBeVisible();
    await expect(open).toContainText(`invited by ${steward.admin.username}`);

    const username = steward.unique("invited");
    const guest = await steward.guest();
    await guest.goto(link);
    await expect(guest.getByRole("heading", { name: "You are invited to Steward" })).toBeVisible();
    await guest.getByLabel("Username").fill(username);
    await guest.getByLabel("Email").fill(`${username}@example.com`);
    await guest.getByRole("textbox", { name: "Password" }).fill("a password for tests");
    await guest.locator("form button[type=submit]").click();
    await expect(guest.getByRole("banner")).toBeVisible();
    const { operators } = await steward.read<{ operators: (Operator & { username: string })[] }>(
      "/api/operators",
    );
    const names = operators.find((one) => one.username === username)?.permissions;
    expect(names?.map(({ name }) => name)).toContain("admin.users");
    expect(names?.map(({ name }) => name)).not.toContain("admin.payments");

    await page.getByRole("link", { name: "Invite" }).click();
    await create();
    await open.getByRole("button", { name: `Remove: ${note}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect(open).toHaveCount(0);
  },
);

test(
  "an operator is changed, deactivated and removed",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { id, username } = await steward.addOperator(["admin.users.read"]);
    const read = async () =>
      (await steward.read<{ operator: Operator }>(`/api/operators/${id}`)).operator;
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
  },
);

test(
  "what one lacks cannot be granted, and who has more cannot be changed",
  { tag: "@core" },
  async ({ steward }) => {
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
  },
);

test(
  "sessions of another operator are ended, one and all",
  { tag: "@core" },
  async ({ page, steward }) => {
    const other = await steward.operator({ permissions: ["admin.users.read"] });
    const elsewhere = [await steward.guest(), await steward.guest()];
    for (const guest of elsewhere) {
      await steward.signIn(guest, other);
    }
    await page.goto(steward.url(`/operators/${other.id}`));
    const panel = page.getByRole("region", { name: "Sessions of the console" });
    await expect(panel.getByRole("listitem")).toHaveCount(3);
    await panel
      .getByRole("button", { name: /End the session/ })
      .first()
      .click();
    await expect(panel.getByRole("listitem")).toHaveCount(2);
    await panel.getByRole("button", { name: "End all" }).click();
    const dialog = page.getByRole("dialog", { name: `End all sessions of ${other.username}?` });
    await dialog.getByRole("button", { name: "End all" }).click();
    await expect(panel.getByText("Not signed in anywhere.")).toBeVisible();
    for (const { request } of [other.page, ...elsewhere]) {
      expect((await request.get(`${steward.origin}/api/console/session`)).status()).toBe(401);
    }
  },
);
