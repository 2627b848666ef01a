import { expect, test } from "./support";

interface Role {
  id: number;
  name: string;
  description: string;
  permissions: { id: number; name: string }[];
}

test("a role is created, and its colour is written", async ({ page, steward }) => {
  const name = steward.unique("Guard");
  await page.goto(steward.url("/roles/create"));
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Description").fill("Watches the gate");
  await page.getByLabel("Colour as #rrggbb").fill("#1e90ff");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.getByLabel("Colour as #rrggbb")).toHaveValue("#1e90ff");
  const id = Number(new URL(page.url()).pathname.split("/").pop());
  const { role } = await steward.api<{ role: Role }>("GET", `/api/roles/${id}`);
  expect(role).toMatchObject({ name, description: "Watches the gate" });
  const { audit_log } = await steward.api<{ audit_log: { after: { color?: string } }[] }>(
    "GET",
    `/api/audit-log?resource=roles&resource_id=${id}`,
  );
  expect(audit_log[0]?.after.color).toBe("#1e90ff");
});

test("a wrong colour is explained at its field", async ({ page, steward }) => {
  await page.goto(steward.url("/roles/create"));
  await page.getByLabel("Name").fill(steward.unique("Role"));
  await page.getByLabel("Colour as #rrggbb").fill("blue");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Must be a colour such as #1e90ff.")).toBeVisible();
});

test("a role is renamed, gets permissions and is deleted", async ({ page, steward }) => {
  const { role } = await steward.api<{ role: Role }>("POST", "/api/roles", {
    name: steward.unique("Role"),
  });
  const read = async () => (await steward.api<{ role: Role }>("GET", `/api/roles/${role.id}`)).role;
  const renamed = steward.unique("Renamed");
  await page.goto(steward.url(`/roles/${role.id}`));

  const profile = page.getByRole("region", { name: "Profile" });
  await profile.getByLabel("Name").fill(renamed);
  await profile.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: renamed })).toBeVisible();
  expect((await read()).name).toBe(renamed);

  const permissions = page.getByRole("region", { name: "Permissions" });
  await permissions.getByRole("checkbox", { name: "Users: Manage" }).check();
  await expect(permissions.getByRole("checkbox", { name: "Users: Read" })).toBeChecked();
  await permissions.getByRole("checkbox", { name: "Pages: Read" }).check();
  await permissions.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Saved")).toBeVisible();
  const names = (await read()).permissions.map((permission) => permission.name);
  expect(names.sort()).toEqual(["admin.pages.read", "admin.users"]);

  await page.getByRole("button", { name: "Delete the role" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/roles$/);
  await expect(read()).rejects.toThrow(/404/);
});

test("the page of a role shows its members, and deleting says how many lose it", async ({
  page,
  steward,
}) => {
  const { role } = await steward.api<{ role: Role }>("POST", "/api/roles", {
    name: steward.unique("Role"),
  });
  const { users } = await steward.api<{ users: { id: number; username: string }[] }>(
    "GET",
    "/api/users?per_page=1",
  );
  const [user] = users;
  await steward.api("PUT", `/api/users/${user?.id}/roles`, { role_ids: [role.id] });
  await page.goto(steward.url(`/roles/${role.id}`));
  const members = page.getByRole("region", { name: "Members" });
  await expect(members.getByRole("link", { name: user?.username ?? "" })).toBeVisible();
  await page.getByRole("button", { name: "Delete the role" }).click();
  await expect(page.getByRole("dialog")).toContainText("1 user loses this role.");
});
