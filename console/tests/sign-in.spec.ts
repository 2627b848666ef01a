import type { Page } from "@playwright/test";
import { Service } from "./service";
import { expect, test } from "./support";
import { nextStep, totp, turnOn } from "./totp";

const enter = async (page: Page, login: string, password: string) => {
  await page.getByLabel("Username or email").fill(login);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

/** Follows the link that a new service writes, and creates its first operator. */
const setUp = async (page: Page, service: Service) => {
  await expect.poll(() => service.setupLink).not.toBe("");
  await page.goto(service.setupLink);
  await page.getByLabel("Username").fill("first");
  await page.getByLabel("Email address").fill("first@example.com");
  await page.getByLabel("Password").fill("long enough to be one");
};

const dashboard = (page: Page) => page.getByRole("link", { name: "Dashboard" });

test(
  "the setup link creates the first operator and opens the dashboard",
  { tag: "@core" },
  async ({ steward }) => {
    const fresh = await Service.start(null);
    try {
      const page = await steward.guest({}, fresh.origin);
      await page.goto(fresh.url("/"));
      await expect(page.getByText("steward operator invite")).toBeVisible();
      await setUp(page, fresh);
      const used = page.url();
      await page.getByLabel("Password").fill("short");
      await page.getByRole("button", { name: "Create the account" }).click();
      await expect(page.getByLabel("Password")).toHaveAccessibleDescription(
        /at least 8 characters/,
      );
      await page.getByLabel("Password").fill("long enough to be one");
      await page.getByRole("button", { name: "Create the account" }).click();
      await expect(dashboard(page)).toBeVisible();
      const { operators } = await fresh.read<{ operators: { username: string }[] }>(
        "/api/operators",
      );
      expect(operators.map(({ username }) => username)).toEqual(["first"]);
      // The link was used, which it says before anything is typed.
      await page.goto(used);
      await expect(page.getByRole("heading", { name: "This link does not work" })).toBeVisible();
      await expect(page.getByRole("textbox")).toHaveCount(0);
      // Its connections end with it. The service would wait for them otherwise.
      await page.context().close();
    } finally {
      await fresh.stop();
    }
  },
);

test(
  "fields that are empty are told in the language of the page",
  { tag: "@core" },
  async ({ steward }) => {
    const page = await steward.guest({ locale: "ru-RU" });
    await page.goto(steward.url("/sign-in"));
    await page.getByRole("button", { name: "Войти", exact: true }).click();
    await expect(page.getByText("Обязательное поле.")).toHaveCount(2);
    await page.getByLabel("Пароль").fill("typed");
    await page.getByRole("button", { name: "Войти", exact: true }).click();
    await expect(page.getByText("Обязательное поле.")).toHaveCount(1);
  },
);

test(
  "a service that requires a second factor shows nothing else before",
  { tag: "@core" },
  async ({ steward }) => {
    const strict = await Service.start(null, { STEWARD_REQUIRE_TWO_FACTOR: "on" });
    try {
      const page = await steward.guest({}, strict.origin);
      await setUp(page, strict);
      await page.getByRole("button", { name: "Create the account" }).click();
      await expect(page).toHaveURL(/\/console\/account/);
      await expect(dashboard(page)).toHaveCount(0);
      await page.goto(strict.url("/users"));
      await expect(page).toHaveURL(/\/console\/account/);

      await turnOn(page);
      await dashboard(page).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Dashboard");
      // Its connections end with it. The service would wait for them otherwise.
      await page.context().close();
    } finally {
      await strict.stop();
    }
  },
);

test(
  "a setup link without its token says what is missing",
  { tag: "@core" },
  async ({ steward }) => {
    const page = await steward.guest();
    await page.goto(steward.url("/setup"));
    await expect(page.getByRole("alert")).toContainText("lacks the token");
  },
);

test(
  "the page that was asked for opens after signing in",
  { tag: "@core" },
  async ({ steward }) => {
    const page = await steward.guest();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(steward.url("/roles?page=1"));
    await expect(page.getByLabel("Password")).toBeVisible();
    expect(asked.filter((path) => path === "/api/console/session")).toHaveLength(1);
    expect(asked.filter((path) => /(Dashboard|Roles|ChartPlot|ru)\.js$/.test(path))).toEqual([]);
    await enter(page, steward.admin.username, steward.admin.password);
    await expect(page).toHaveURL(/\/console\/roles/);
  },
);

test(
  "a wrong password is refused, and the right one is accepted after it",
  { tag: "@core" },
  async ({ steward }) => {
    const operator = await steward.addOperator(["admin.users.read"]);
    const page = await steward.guest();
    await page.goto(steward.url("/sign-in"));
    await enter(page, operator.username, "not the password");
    await expect(page.getByRole("alert")).toBeVisible();
    await expect(dashboard(page)).toHaveCount(0);
    await enter(page, operator.username, operator.password);
    await expect(dashboard(page)).toBeVisible();
  },
);

test("a blocked user sees the reason", { tag: "@core" }, async ({ steward }) => {
  const operator = await steward.addOperator(["admin.users.read"]);
  await steward.api("POST", `/api/users/${operator.id}/block`, { reason: "Sold accounts" });
  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  await enter(page, operator.username, operator.password);
  await expect(page.getByRole("alert")).toContainText("This account is blocked.");
  await expect(page.getByRole("alert")).toContainText("Reason: Sold accounts");
});

test("too many attempts show the seconds that are left", { tag: "@core" }, async ({ steward }) => {
  const { username } = await steward.addOperator(["admin.users.read"]);
  const page = await steward.guest();
  await page.goto(steward.url("/sign-in"));
  const data = { login: username, password: "not the password" };
  const attempt = () => page.request.post(`${steward.origin}/api/console/session`, { data });
  await expect.poll(async () => (await attempt()).status(), { intervals: [0] }).toBe(429);
  await enter(page, username, "not the password");
  await expect(page.getByText(/Try again in \d+ seconds?\./)).toBeVisible();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeDisabled();
});

test("an API key signs in, and a wrong one does not", { tag: "@core" }, async ({ steward }) => {
  const { key } = await steward.addKey(["admin.roles.read"]);
  const page = await steward.guest();
  await steward.signInWithKey(page, "not-a-key-of-this-service");
  await expect(page.getByRole("alert")).toBeVisible();
  await steward.signInWithKey(page, key);
  await expect(page.getByRole("link", { name: "Roles" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Users" })).toHaveCount(0);
});

test("a second factor asks for its code", { tag: "@core" }, async ({ steward }) => {
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

test("signing out ends the session", { tag: "@core" }, async ({ steward }) => {
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
