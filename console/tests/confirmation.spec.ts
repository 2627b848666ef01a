import type { Page } from "@playwright/test";
import { expect, test } from "./support";
import { nextStep, totp, turnOn } from "./totp";

const UNCONFIRMED = { code: "confirmation_required", message: "Confirm.", request_id: "1" };

/** Lets the service refuse the next request as it does 15 minutes after signing in. */
const refuseOnce = (page: Page, path: string) =>
  page.route(path, (route) => route.fulfill({ status: 403, json: UNCONFIRMED }), { times: 1 });

const dialog = (page: Page) => page.getByRole("dialog", { name: "Confirm that it is you" });

test(
  "a password confirms a session, and what was refused is done",
  { tag: "@core" },
  async ({ steward }) => {
    const { page, password } = await steward.operator({ permissions: ["admin.api-keys"] });
    const name = steward.unique("Confirmed");
    await page.goto(steward.url("/api-keys/create"));
    await page.getByLabel("Name").fill(name);
    await page.getByRole("checkbox", { name: "API keys and operators: Read" }).check();
    await refuseOnce(page, "**/api/api-keys");
    await page.getByRole("button", { name: "Create the key" }).click();
    const input = dialog(page).getByRole("textbox", { name: "Password" });
    await expect(input).toBeFocused();
    await input.fill("not the password");
    await page.keyboard.press("Enter");
    await expect(dialog(page).getByRole("alert")).toContainText("wrong");
    await input.fill(password);
    await page.keyboard.press("Enter");
    await expect(page.getByText(`${name} was created`)).toBeVisible();
    await expect(dialog(page)).toHaveCount(0);
  },
);

test(
  "who does not confirm is told that nothing was done",
  { tag: "@core" },
  async ({ steward }) => {
    const { page } = await steward.operator({ permissions: ["admin.users.read"] });
    await page.goto(steward.url("/users"));
    await refuseOnce(page, "**/api/users/export?*");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("menuitem", { name: "Export as CSV" }).click();
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Nothing was done")).toBeVisible();
  },
);

test("a code of the second factor confirms a session", { tag: "@core" }, async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/account"));
  const now = Date.now();
  const secret = await turnOn(page, now);
  const panel = page.getByRole("region", { name: "Second factor" });
  await refuseOnce(page, "**/api/console/two-factor/recovery-codes");
  await panel.getByRole("button", { name: "New recovery codes" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Make new ones" }).click();
  await dialog(page).getByRole("button", { name: "Use a code from your app" }).click();
  await dialog(page)
    .getByLabel("Code from your app")
    .fill(totp(secret, nextStep(now)));
  await dialog(page).getByRole("button", { name: "Confirm" }).click();
  const codes = panel.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect(codes).toHaveCount(10);
});

test(
  "a session begun with an API key is confirmed with that key",
  { tag: "@core" },
  async ({ steward }) => {
    const { key } = await steward.addKey(["admin.backups.read"]);
    await steward.api("POST", "/api/backups");
    const page = await steward.guest();
    await steward.signInWithKey(page, key);
    await expect(page.getByRole("banner")).toBeVisible();
    // After a reload the page does not know when the operator signed in.
    await page.goto(steward.url("/system"));
    await expect(page.getByRole("button", { name: "Make a backup" })).toHaveCount(0);
    await page
      .getByRole("button", { name: /^Download: / })
      .first()
      .click();
    await dialog(page).getByRole("textbox", { name: "API key" }).fill(key);
    const download = page.waitForEvent("download");
    await dialog(page).getByRole("button", { name: "Confirm" }).click();
    expect((await download).suggestedFilename()).not.toBe("");
  },
);
