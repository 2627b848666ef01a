import { live } from "./pages";
import { expect, test } from "./support";

interface Created {
  role: { id: number };
}

test("a change is told as a sentence, with the fields that changed", async ({ page, steward }) => {
  const name = steward.unique("Audited");
  const { role } = await steward.api<Created>("POST", "/api/roles", { name });
  await steward.api("PUT", `/api/roles/${role.id}`, { description: "Watches the log" });
  await page.goto(steward.url(`/audit-log?resource=roles&resource_id=${role.id}`));
  const log = page.getByRole("list", { name: "Audit log" });
  await expect(log.getByRole("listitem")).toHaveCount(2);
  const changed = log.getByRole("listitem").first();
  await expect(changed).toContainText(`changed role ${name}`);
  await changed.getByRole("button", { name: "Details" }).click();
  await expect(changed.getByRole("row", { name: /Description/ })).toContainText("Watches the log");
  await expect(changed.getByText("roles.update")).toBeHidden();
  await changed.getByText("Technical details").click();
  await expect(changed.getByText("roles.update")).toBeVisible();
  await expect(changed.getByRole("link", { name })).toHaveAttribute(
    "href",
    new RegExp(`/roles/${role.id}$`),
  );
});

test("new entries appear on top with a mark", async ({ page, steward }) => {
  await page.goto(steward.url("/audit-log?resource=roles"));
  await expect(page.getByRole("button", { name: "Export" })).toBeVisible();
  await live(page);
  const name = steward.unique("Live");
  await steward.api("POST", "/api/roles", { name });
  const entry = page.getByRole("list", { name: "Audit log" }).getByRole("listitem");
  const ours = entry.filter({ hasText: `created role ${name}` });
  await expect(ours.getByText("New", { exact: true })).toBeVisible();
});

test("filters are in the address and can be cleared", async ({ page, steward }) => {
  await steward.api("POST", "/api/roles", { name: steward.unique("Filtered") });
  await page.goto(steward.url("/audit-log"));
  await page.getByRole("combobox", { name: "Resource" }).click();
  await page.getByRole("option", { name: "Roles" }).click();
  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Created role …" }).click();
  await expect(page).toHaveURL(/resource=roles&action=roles\.create/);
  const log = page.getByRole("list", { name: "Audit log" });
  await expect(log.getByRole("listitem").first()).toContainText("created role");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).not.toHaveURL(/resource=/);
});

test("the log shows what one person did, and what was done to another", async ({
  page,
  steward,
}) => {
  const { id, username } = await steward.addUser("watched");
  await steward.api("POST", `/api/users/${id}/block`, {
    reason: "Spam",
    until: "2036-05-01T12:00:00Z",
  });
  await page.goto(steward.url("/audit-log"));
  const log = page.getByRole("list", { name: "Audit log" });
  await page.getByRole("combobox", { name: "User" }).fill(username);
  await page.getByRole("option", { name: username }).click();
  await expect(page).toHaveURL(new RegExp(`about_user_id=${id}`));
  await expect(log.getByRole("listitem")).toHaveCount(2);
  await expect(log.getByRole("listitem").first()).toContainText(`blocked user ${username}`);
  await log.getByRole("button", { name: "Details" }).first().click();
  await expect(log.getByRole("row", { name: /Block · Ends/ })).toContainText("1 May 2036, 14:00");

  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("combobox", { name: "Who" }).click();
  await page.getByRole("option", { name: steward.admin.username, exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`[?&]user_id=${steward.admin.id}`));
  await expect(log.getByText(username)).toHaveCount(0);
});

test("the log can be exported", async ({ page, steward }) => {
  await page.goto(steward.url("/audit-log"));
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as CSV" }).click();
  expect((await download).suggestedFilename()).toMatch(/^audit-log-.*\.csv$/);
});

test("without the permission the page says which one is needed", async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/audit-log"));
  await expect(page.getByText("Audit log: Read")).toBeVisible();
});
