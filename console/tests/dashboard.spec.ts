import { live } from "./pages";
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
  await expect(main.getByRole("figure", { name: "Paid by day" })).toBeVisible();
  await page.getByRole("button", { name: "Invoiced", exact: true }).click();
  const chart = main.getByRole("figure", { name: "Invoiced by day" });
  await expect(chart).toBeVisible();
  // Today has only begun, so it has a line of its own.
  await expect(chart.getByRole("columnheader", { name: "Today, so far" })).toBeAttached();

  // Amounts fit on a phone, in long formats, too.
  await page.setViewportSize({ width: 320, height: 740 });
  const cut = () =>
    main
      .locator(".MuiCard-root span")
      .evaluateAll((all) =>
        all
          .filter(
            (one) =>
              one.getBoundingClientRect().right >
              (one.closest(".MuiCard-root")?.getBoundingClientRect().right ?? 0),
          )
          .map((one) => one.textContent),
      );
  await expect.poll(cut).toEqual([]);
});

test("what another client does appears in the latest activity", async ({ page, steward }) => {
  const user = await steward.addUser("blocked");
  await page.goto(steward.url("/"));
  const activity = page.getByRole("region", { name: "Latest activity" });
  await expect(activity.getByRole("listitem").first()).toBeVisible();
  await live(page);
  await steward.api("POST", `/api/users/${user.id}/block`, { reason: "Test" });
  await expect(activity.getByText("blocked user").first()).toBeVisible();
  await expect(activity.getByRole("link", { name: user.username }).first()).toBeVisible();
});

test("an operator without a second factor needs attention", async ({ page, steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  await page.goto(steward.url("/"));
  const attention = page.getByRole("region", { name: "Needs attention" });
  const more = attention.getByRole("button", { name: /more$/ });
  const found = attention.getByRole("link", {
    name: `Operator ${operator.username} has no second factor`,
  });
  // The list grows with each reply, and hides what is beyond its first lines.
  await expect(async () => {
    if (await more.isVisible()) {
      await more.click({ timeout: 5000 });
    }
    await expect(found).toBeVisible({ timeout: 5000 });
  }).toPass();
});

test("panels of what one may not read are not there", async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.servers.read"] });
  await page.goto(steward.url("/"));
  await expect(page.getByRole("region", { name: "Servers" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Latest activity" })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Paid by day" })).toHaveCount(0);
  await expect(page.getByText("New users")).toHaveCount(0);
});

test("failed sign-ins since the last visit are told once", async ({ steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  const page = await steward.guest();
  const data = { login: operator.username, password: "not the password" };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await page.request.post(`${steward.origin}/api/console/session`, { data });
  }
  await steward.signIn(page, operator);
  const warning = page.getByText("2 wrong passwords since your last visit");
  await expect(warning).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await expect(warning).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("link", { name: "New users" })).toBeVisible();
  await expect(warning).toHaveCount(0);
});
