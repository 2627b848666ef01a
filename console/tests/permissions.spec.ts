import { one, ready } from "./pages";
import { expect, test } from "./support";

test(
  "an operator who may only read users sees only that",
  { tag: "@core" },
  async ({ steward }) => {
    const { page } = await steward.operator({ permissions: ["admin.users.read"] });
    const id = await one(steward, "users");
    await page.goto(steward.url("/"));
    await ready(page);
    const items = page.getByRole("navigation", { name: "Menu" }).getByRole("link");
    await expect(items).toHaveText([
      "Dashboard",
      "Users",
      "Blocked users",
      "Social networks",
      "System",
      "My account",
    ]);

    await page.goto(steward.url("/users"));
    await expect(page.getByRole("row").nth(1)).toBeVisible();
    await expect(page.getByRole("link", { name: /new user/i })).toHaveCount(0);
    await expect(page.getByRole("button", { name: /new user/i })).toHaveCount(0);
    await expect(page.getByRole("checkbox")).toHaveCount(0);

    await page.goto(steward.url(`/users/${id}`));
    await ready(page);
    for (const name of ["Save", "Delete", "Block", "Unblock", "Erase"]) {
      await expect(page.getByRole("button", { name, exact: true })).toHaveCount(0);
    }
  },
);

const REFUSED = {
  "/roles": "Roles: Read",
  "/users/create": "Users: Manage",
  "/navigation": "Navigation: Read",
  "/audit-log": "Audit log: Read",
  "/statistics": "Payments: Read",
};

for (const [path, permission] of Object.entries(REFUSED)) {
  test(`${path} is refused in words`, async ({ steward }) => {
    const { page } = await steward.operator({ permissions: ["admin.users.read"] });
    await page.goto(steward.url(path));
    await expect(page.getByRole("main")).toContainText(`This needs the permission ${permission}.`);
    await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
  });
}
