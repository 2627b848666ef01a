import { expect, test } from "./support";

interface Backups {
  backups: { name: string; state: string }[];
}

test("the page shows the version, the database and the metrics", async ({ page, steward }) => {
  const { cms_version } = await steward.read<{ cms_version: string }>("/api/status");
  await page.goto(steward.url("/system"));
  const service = page.getByRole("region", { name: "Service" });
  await expect(service.getByText(cms_version, { exact: true })).toBeVisible();
  await expect(service.getByText("Yes")).toHaveCount(2);
  await expect(service.getByText(/^(SQLite|PostgreSQL)$/)).toBeVisible();
  await expect(page.getByRole("figure", { name: "Requests" })).toBeVisible({ timeout: 20_000 });
});

test(
  "backups are made and downloaded, and all but the newest deleted",
  { tag: "@core" },
  async ({ page, steward }) => {
    // A backup has a low priority: beside other work it takes long.
    test.slow();
    await page.goto(steward.url("/system"));
    const panel = page.getByRole("region", { name: "Backups" });
    const names = async () =>
      (await steward.read<Backups>("/api/backups")).backups.map(({ name }) => name);
    const before = (await names()).length;
    for (const count of [1, 2]) {
      await panel.getByRole("button", { name: "Make a backup" }).click();
      await expect(panel.getByText("Complete")).toHaveCount(before + count, { timeout: 90_000 });
    }
    const [name = "", newest = ""] = (await names()).slice(-2);

    const download = page.waitForEvent("download");
    await panel.getByRole("button", { name: `Download: ${newest}` }).click();
    await page.getByRole("textbox", { name: "Password" }).fill(steward.admin.password);
    await page.getByRole("button", { name: "Confirm" }).click();
    expect((await download).suggestedFilename()).toBe(newest);

    await expect(panel.getByRole("button", { name: `Delete: ${newest}` })).toHaveCount(0);
    await panel.getByRole("button", { name: `Delete: ${name}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(panel.getByText(name)).toHaveCount(0);
    // The row leaves the page before the service has answered.
    await expect.poll(names).not.toContain(name);
  },
);

test(
  "without the permission there are no backups on the page",
  { tag: "@core" },
  async ({ steward }) => {
    const { page } = await steward.operator({ permissions: ["admin.users.read"] });
    await page.goto(steward.url("/system"));
    await expect(page.getByRole("region", { name: "Service" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Backups" })).toHaveCount(0);
  },
);
