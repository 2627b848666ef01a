import { expect, test } from "./support";

interface Backups {
  backups: { name: string; state: string }[];
}

test("the page shows the version, the database and the metrics", async ({ page, steward }) => {
  const { cms_version } = await steward.api<{ cms_version: string }>("GET", "/api/status");
  await page.goto(steward.url("/system"));
  const service = page.getByRole("region", { name: "Service" });
  await expect(service.getByText(cms_version, { exact: true })).toBeVisible();
  await expect(service.getByText("Yes")).toHaveCount(2);
  await expect(service.getByText(/^(SQLite|PostgreSQL)$/)).toBeVisible();
  await expect(page.getByRole("figure", { name: "Requests" })).toBeVisible({ timeout: 20_000 });
});

test("a backup can be made, downloaded and deleted", async ({ page, steward }) => {
  await page.goto(steward.url("/system"));
  const panel = page.getByRole("region", { name: "Backups" });
  await panel.getByRole("button", { name: "Make a backup" }).click();
  await expect(panel.getByText("Complete").first()).toBeVisible({ timeout: 30_000 });
  const { backups } = await steward.api<Backups>("GET", "/api/backups");
  const name = backups.at(-1)?.name ?? "";

  const download = page.waitForEvent("download");
  await panel.getByRole("link", { name: `Download: ${name}` }).click();
  expect((await download).suggestedFilename()).toBe(name);

  await panel.getByRole("button", { name: `Delete: ${name}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(panel.getByText(name)).toHaveCount(0);
  const left = await steward.api<Backups>("GET", "/api/backups");
  expect(left.backups.map((backup) => backup.name)).not.toContain(name);
});

test("without the permission there are no backups on the page", async ({ steward }) => {
  const { page } = await steward.operator({ permissions: ["admin.users.read"] });
  await page.goto(steward.url("/system"));
  await expect(page.getByRole("region", { name: "Service" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Backups" })).toHaveCount(0);
});
