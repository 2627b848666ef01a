import { expect, test } from "./support";
import { totp, turnOn } from "./totp";

test("the password is changed, and other sessions end", { tag: "@core" }, async ({ steward }) => {
  const operator = await steward.operator({ permissions: ["admin.users.read"] });
  const { page } = operator;
  const elsewhere = await steward.guest();
  await steward.signIn(elsewhere, operator);

  await page.goto(steward.url("/account"));
  const panel = page.getByRole("region", { name: "Password" });
  const change = async (current: string) => {
    await panel.getByLabel("Current password").fill(current);
    await panel.getByLabel(/^New password(?! again)/).fill("another password");
    await panel.getByLabel("New password again").fill("another password");
    await panel.getByRole("button", { name: "Change the password" }).click();
  };
  await change("not the password");
  await expect(panel.getByText("This is not your current password.")).toBeVisible();
  await change(operator.password);
  await expect(page.getByText("The password was changed.")).toBeVisible();

  const reply = await elsewhere.request.get(`${steward.origin}/api/console/session`);
  expect(reply.status()).toBe(401);
  await elsewhere.close();
  const again = await steward.guest();
  await steward.signIn(again, { username: operator.username, password: "another password" });
});

test("passwords that differ are not sent", { tag: "@core" }, async ({ steward }) => {
  const { page, password } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/account"));
  await page.getByLabel("Current password").fill(password);
  await page.getByLabel(/^New password(?! again)/).fill("another password");
  await page.getByLabel("New password again").fill("another passwort");
  await page.getByRole("button", { name: "Change the password" }).click();
  await expect(page.getByText("The two passwords differ.")).toBeVisible();
});

test(
  "a second factor is set up with ten recovery codes, and removed with one of them",
  { tag: "@core" },
  async ({ steward }) => {
    const { page, id, password } = await steward.operator({ permissions: ["admin.users.read"] });
    const isOn = async () =>
      (await steward.read<{ operator: { two_factor: boolean } }>(`/api/operators/${id}`)).operator
        .two_factor;
    await page.goto(steward.url("/account"));
    const panel = page.getByRole("region", { name: "Second factor" });
    await panel.getByRole("button", { name: "Set it up" }).click();
    await expect(panel.getByRole("img", { name: /QR code/ })).toBeVisible();
    const secret = await panel.locator("code").innerText();
    await panel.getByRole("textbox", { name: "Code" }).fill("000000");
    await panel.getByRole("button", { name: "Turn it on" }).click();
    await expect(panel.getByRole("alert")).toContainText("This code is wrong");
    await panel.getByRole("textbox", { name: "Code" }).fill(totp(secret));
    await panel.getByRole("button", { name: "Turn it on" }).click();

    const codes = panel.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await expect(codes).toHaveCount(10);
    expect(await isOn()).toBe(true);
    const [code = ""] = await codes.allInnerTexts();
    const download = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("steward-recovery-codes.txt");
    await panel.getByRole("button", { name: "I have stored them" }).click();

    await panel.getByRole("button", { name: "Remove it" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill(password);
    await dialog.getByLabel(/Code from the app/).fill(code);
    await dialog.getByRole("button", { name: "Remove it" }).click();
    await expect(panel.getByRole("button", { name: "Set it up" })).toBeVisible();
    expect(await isOn()).toBe(false);
  },
);

test(
  "another operator can reset a second factor that was lost",
  { tag: "@core" },
  async ({ page, steward }) => {
    const lost = await steward.operator({ permissions: ["admin.users.read"] });
    await lost.page.goto(steward.url("/account"));
    await turnOn(lost.page);

    await page.goto(steward.url(`/operators/${lost.id}`));
    await page.getByRole("button", { name: "Reset the second factor" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
    await expect(page.getByText("Not set up")).toBeVisible();
    const { operator } = await steward.read<{ operator: { two_factor: boolean } }>(
      `/api/operators/${lost.id}`,
    );
    expect(operator.two_factor).toBe(false);
  },
);

test("one of one's own sessions is ended", { tag: "@core" }, async ({ steward }) => {
  const operator = await steward.operator({ permissions: ["admin.users.read"] });
  const elsewhere = await steward.guest();
  await steward.signIn(elsewhere, operator);
  const { page } = operator;
  await page.goto(steward.url("/account"));
  const panel = page.getByRole("region", { name: "Active sessions" });
  await expect(panel.getByText("This browser")).toBeVisible();
  await panel.getByRole("button", { name: /End the session/ }).click();
  await expect(panel.getByRole("listitem")).toHaveCount(1);
  const reply = await elsewhere.request.get(`${steward.origin}/api/console/session`);
  expect(reply.status()).toBe(401);
});

test("the language and the theme are chosen", { tag: "@core" }, async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/account"));
  await page.getByRole("button", { name: "Dark" }).click();
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await expect.poll(background).toBe("rgb(15, 18, 24)");
  await page.getByRole("button", { name: "Русский" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Моя учётная запись");
  await page.reload();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Моя учётная запись");
});

test(
  "a session of an API key says what it does not have",
  { tag: "@core" },
  async ({ steward }) => {
    const { key } = await steward.addKey();
    const page = await steward.guest();
    await steward.signInWithKey(page, key);
    await page.getByRole("link", { name: "My account" }).click();
    await expect(page.getByText("You are signed in with the API key")).toBeVisible();
    await expect(page.getByRole("region", { name: "Password" })).toHaveCount(0);
    await expect(page.getByRole("region", { name: "Second factor" })).toHaveCount(0);
  },
);
