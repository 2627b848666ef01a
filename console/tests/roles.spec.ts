import { saveChanges } from "./pages";
import { expect, test } from "./support";

interface Role {
  id: number;
  name: string;
  description: string;
  permissions: { id: number; name: string }[];
}

test("a role is created, and its colour is shown", async ({ page, steward }) => {
  const name = steward.unique("Guard");
  await page.goto(steward.url("/roles/create"));
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Description").fill("Watches the gate");
  await page.getByLabel("Colour as #rrggbb").fill("#1e90ff");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await expect(page.getByLabel("Colour as #rrggbb")).toHaveValue("#1e90ff");
  const id = Number(new URL(page.url()).pathname.split("/").pop());
  const { role } = await steward.read<{ role: Role }>(`/api/roles/${id}`);
  expect(role).toMatchObject({ name, description: "Watches the gate" });
  await steward.api("PUT", `/api/roles/${id}`, { color: "#ff0000" });
  await expect(page.getByLabel("Colour as #rrggbb")).toHaveValue("#ff0000");
});

test("a wrong colour is explained at its field", async ({ page, steward }) => {
  await page.goto(steward.url("/roles/create"));
  await page.getByLabel("Name").fill(steward.unique("Role"));
  await page.getByLabel("Colour as #rrggbb").fill("blue");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("Must be a colour such as #1e90ff.")).toBeVisible();
});

test(
  "a role is renamed, gets permissions and is deleted",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { role } = await steward.api<{ role: Role }>("POST", "/api/roles", {
      name: steward.unique("Role"),
    });
    const read = async () => (await steward.read<{ role: Role }>(`/api/roles/${role.id}`)).role;
    const renamed = steward.unique("Renamed");
    await page.goto(steward.url(`/roles/${role.id}`));

    const profile = page.getByRole("region", { name: "Profile" });
    await profile.getByLabel("Name").fill(renamed);
    await saveChanges(page);
    await expect(page.getByRole("heading", { level: 1, name: renamed })).toBeVisible();
    expect((await read()).name).toBe(renamed);

    const permissions = page.getByRole("region", { name: "Permissions" });
    await permissions.getByRole("checkbox", { name: "Users: Manage" }).check();
    await expect(permissions.getByRole("checkbox", { name: "Users: Read" })).toBeChecked();
    await permissions.getByRole("checkbox", { name: "Pages: Read" }).check();
    await saveChanges(page);
    const names = (await read()).permissions.map((permission) => permission.name);
    expect(names.sort()).toEqual(["admin.pages.read", "admin.users"]);

    await page.getByRole("button", { name: "Delete the role" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(page).toHaveURL(/\/roles$/);
    await expect(read()).rejects.toThrow(/404/);
  },
);

test(
  "the page of a role shows its members, and deleting says how many lose it",
  { tag: "@core" },
  async ({ page, steward }) => {
    const { role } = await steward.api<{ role: Role }>("POST", "/api/roles", {
      name: steward.unique("Role"),
    });
    const { users } = await steward.read<{ users: { id: number; username: string }[] }>(
      "/api/users?per_page=1",
    );
    const [user] = users;
    await steward.api("PUT", `/api/users/${user?.id}/roles`, { role_ids: [role.id] });
    await page.goto(steward.url(`/roles/${role.id}`));
    const members = page.getByRole("region", { name: "Members" });
    await expect(members.getByRole("link", { name: user?.username ?? "" })).toBeVisible();
    await page.getByRole("button", { name: "Delete the role" }).click();
    await expect(page.getByRole("dialog")).toContainText("1 user loses this role.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "Roles", exact: true }).first().click();
    await expect(page.getByRole("row", { name: role.name }).getByRole("cell").last()).toHaveText(
      "1",
    );
  },
);
