import { expect, test } from "./support";

test("the dashboard shows the figures, and the period is in the address", async ({
  page,
  steward,
}) => {
  await page.goto(steward.url("/"));
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  for (const label of ["Paid", "Invoices", "New users", "Blocked users", "Players now"]) {
    await expect(main.getByRole("link", { name: label, exact: true }).first()).toBeVisible();
  }
  await page.getByRole("button", { name: "90 days" }).click();
  await expect(page).toHaveURL(/days=90/);
  await page.reload();
  await expect(page.getByRole("button", { name: "90 days" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await expect(main.getByRole("figure", { name: "Invoiced by day" })).toBeVisible();
});

test("what another client does appears in the latest activity", async ({ page, steward }) => {
  const username = steward.unique("blocked");
  const { user } = await steward.api<{ user: { id: number } }>("POST", "/api/users", {
    username,
    email: `${username}@example.com`,
    password: "a long password",
  });
  await page.goto(steward.url("/"));
  const activity = page.getByRole("region", { name: "Latest activity" });
  await expect(activity.getByRole("listitem").first()).toBeVisible();
  await steward.api("POST", `/api/users/${user.id}/block`, { reason: "Test" });
  await expect(activity.getByText("blocked user").first()).toBeVisible();
  await expect(activity.getByRole("link", { name: username }).first()).toBeVisible();
});

test("an operator without a second factor needs attention", async ({ page, steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  await page.goto(steward.url("/"));
  const attention = page.getByRole("region", { name: "Needs attention" });
  await expect(attention.getByRole("listitem").first()).toBeVisible();
  const more = attention.getByRole("button", { name: /more$/ });
  if (await more.isVisible()) {
    await more.click();
  }
  await expect(
    attention.getByRole("link", { name: `Operator ${operator.username} has no second factor` }),
  ).toBeVisible();
});

test("panels of what one may not read are not there", async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.servers.read"] });
  await page.goto(steward.url("/"));
  await expect(page.getByRole("region", { name: "Servers" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Latest activity" })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Invoiced by day" })).toHaveCount(0);
  await expect(page.getByText("New users")).toHaveCount(0);
});
