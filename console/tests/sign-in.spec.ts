import type { Page } from "@playwright/test";
import { Service } from "./service";
import { expect, test } from "./support";
import { nextStep, totp } from "./totp";

const enter = async (page: Page, login: string, password: string) => {
  await page.getByLabel("Username or email").fill(login);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

/** Follows the link that a new service prints, and creates its first operator. */
const setUp = async (page: Page, service: Service) => {
  const link = () => /http[^\s"]+#token=[\w-]+/.exec(service.log)?.[0] ?? "";
  await expect.poll(link).not.toBe("");
  await page.goto(link());
  await page.getByLabel("Username").fill("first");
  await page.getByLabel("Email address").fill("first@example.com");
  await page.getByLabel("Password").fill("long enough to be one");
};

const dashboard = (page: Page) => page.getByRole("link", { name: "Dashboard" });

test("the setup link creates the first operator and opens the dashboard", async ({ steward }) => {
  const fresh = await Service.start(null);
  try {
    const page = await steward.guest({}, fresh.origin);
    await setUp(page, fresh);
    await page.getByLabel("Password").fill("short");
    await page.getByRole("button", { name: "Create the account" }).click();
    await expect(page.getByLabel("Password")).toHaveAccessibleDescription(/8 to 1024/);
    await page.getByLabel("Password").fill("long enough to be one");
    await page.getByRole("button", { name: "Create the account" }).click();
    await expect(dashboard(page)).toBeVisible();
    const { operators } = await fresh.api<{ operators: { username: string }[] }>(
      "GET",
      "/api/operators",
    );
    expect(operators.map(({ username }) => username)).toEqual(["first"]);
    await page.close();
  } finally {
    await fresh.stop();
  }
});

test("a service that requires a second factor shows nothing else before", async ({ steward }) => {
  const strict = await Service.start(null, { STEWARD_REQUIRE_TWO_FACTOR: "on" });
  try {
    const page = await steward.guest({}, strict.origin);
    await setUp(page, strict);
    await page.getByRole("button", { name: "Create the account" }).click();
    await expect(page).toHaveURL(/\/console\/account/);
    await expect(dashboard(page)).toHaveCount(0);
    await page.goto(strict.url("/users"));
    await expect(page).toHaveURL(/\/console\/account/);

    const panel = page.getByRole("region", { name: "Second factor" });
    await panel.getByRole("button", { name: "Set it up" }).click();
    const secret = await panel.locator("code").innerText();
    await panel.getByRole("textbox", { name: "Code" }).fill(totp(secret));
    await panel.getByRole("button", { name: "Turn it on" }).click();
    await panel.getByRole("button", { name: "I have stored them" }).click();
    await dashboard(page).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Dashboard");
    await page.close();
  } finally {
    await strict.stop();
  }
});

test("a setup link without its token says what is missing", async ({ steward }) => {
  const page = await steward.guest();
  await page.goto(steward.url("/setup"));
  await expect(page.getByRole("alert")).toContainText("lacks the token");
});

test("the page that was asked for opens after signing in", async ({ steward }) => {
  const page = await steward.guest();
  await page.goto(steward.url("/roles?page=1"));
  await enter(page, steward.admin.username, steward.admin.password);
  await expect(page).toHaveURL(/\/console\/roles/);
});

test("a wrong password is refused, and the right one is accepted after it", async ({ steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  await enter(page, operator.username, "not the password");
  await expect(page.getByRole("alert")).toBeVisible();
  await expect(dashboard(page)).toHaveCount(0);
  await enter(page, operator.username, operator.password);
  await expect(dashboard(page)).toBeVisible();
});

test("a blocked user sees the reason", async ({ steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  await steward.api("POST", `/api/users/${operator.id}/block`, { reason: "Sold accounts" });
  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  await enter(page, operator.username, operator.password);
  await expect(page.getByRole("alert")).toContainText("This account is blocked.");
  await expect(page.getByRole("alert")).toContainText("Reason: Sold accounts");
});

test("too many attempts show the seconds that are left", async ({ steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  const throttled = page.getByText(/Try again in \d+ seconds?\./);
  await expect(async () => {
    await enter(page, operator.username, "not the password");
    await expect(throttled).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 120_000 });
  await expect(page.getByRole("button", { name: "Sign in" })).toBeDisabled();
});

test("an API key signs in, and a wrong one does not", async ({ steward }) => {
  const { api_key } = await steward.api<{ api_key: { id: number; key: string } }>(
    "POST",
    "/api/api-keys",
    { name: steward.unique("console") },
  );
  await steward.api("PUT", `/api/api-keys/${api_key.id}/permissions`, {
    permission_ids: await steward.permissionIds(["admin.roles.read"]),
  });
  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  await page.getByRole("button", { name: "Use an API key" }).click();
  await page.getByLabel("API key").fill("not-a-key-of-this-service");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await page.getByLabel("API key").fill(api_key.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("link", { name: "Roles" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Users" })).toHaveCount(0);
});

test("a second factor asks for its code", async ({ steward }) => {
  const operator = await steward.operator({ permissions: ["admin.users.read"] });
  const post = async (method: "post" | "put", path: string, data?: unknown) => {
    const reply = await operator.context.request[method](steward.origin + path, {
      headers: { Origin: steward.origin },
      ...(data !== undefined && { data }),
    });
    expect(reply.ok(), await reply.text()).toBe(true);
    return (await reply.json()) as { secret: string };
  };
  const { secret } = await post("post", "/api/console/two-factor");
  const confirmed = Date.now();
  await post("put", "/api/console/two-factor", { code: totp(secret, confirmed) });

  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  await enter(page, operator.username, operator.password);
  const code = page.getByLabel("Code from your app");
  await code.fill("000000");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await code.fill(totp(secret, nextStep(confirmed)));
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(dashboard(page)).toBeVisible();
});

test("signing out ends the session", async ({ steward }) => {
  const { page, context } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/"));
  await page.getByRole("button", { name: "Account and appearance" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in to Steward" })).toBeVisible();
  const reply = await context.request.get(`${steward.origin}/api/console/session`);
  expect(reply.status()).toBe(401);
  await page.goto(steward.url("/users"));
  await expect(page.getByRole("heading", { name: "Sign in to Steward" })).toBeVisible();
});
