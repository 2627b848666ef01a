import type { Role } from "./roles";
import { Service } from "./service";
import { expect, test } from "./support";

const AWAY = "The service does not answer. Trying again…";
const NEWER = "There is a newer version of the console.";

test("an open tab waits for the service, and follows an upgrade once", async ({ browser }) => {
  const service = await Service.start(null);
  // Without the checks of `support.ts`: the browser logs every request that got no answer.
  const page = await browser.newPage();
  try {
    const data = { api_key: "key-of-the-browser-tests" };
    await page.request.post(`${service.origin}/api/console/session`, { data });
    const body = { name: "Helpers" };
    const { role } = await service.api<{ role: Role }>("POST", "/api/roles", body);
    await page.goto(service.url("/users"));
    await expect(page.getByRole("status", { name: /^Live/ })).toBeVisible();

    // A page that was not loaded yet opens once the service is back.
    await service.kill();
    await expect(page.getByText(AWAY)).toBeVisible();
    await page.getByRole("link", { name: "Roles" }).click();
    await expect(page).toHaveURL(/\/roles/);
    await service.resume();
    await expect(page.getByText(AWAY)).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1, name: "Roles" })).toBeVisible();
    await expect(page.getByText("Something went wrong")).toHaveCount(0);

    // Another version: what was typed stays, and the page says so.
    const restart = async () => {
      await service.kill();
      await expect(page.getByText(AWAY)).toBeVisible();
      await service.resume();
    };
    let loads = 0;
    page.on("load", () => (loads += 1));
    const files = `/console/files/${"0".repeat(32)}/`;
    await page.route("**/console/", async (route) => {
      try {
        const response = await route.fetch();
        const body = (await response.text()).replaceAll(/\/console\/files\/\w+\//g, files);
        await route.fulfill({ response, body });
      } catch {
        await route.abort();
      }
    });
    await page.goto(service.url(`/roles/${role.id}`));
    const name = page.getByRole("textbox", { name: "Name" });
    await expect(page.getByRole("status", { name: /^Live/ })).toBeVisible();
    await name.fill("Half of a na");
    await restart();
    await expect(page.getByText(NEWER)).toBeVisible();
    await expect(name).toHaveValue("Half of a na");
    expect(loads).toBe(1);

    // Without unsaved changes it reloads by itself, once for each version.
    await name.fill(role.name);
    await restart();
    await expect.poll(() => loads).toBe(2);
    await expect(page.getByRole("status", { name: /^Live/ })).toBeVisible();
    await restart();
    await expect(page.getByText(NEWER)).toBeVisible();
    expect(loads).toBe(2);
  } finally {
    await page.close();
    await service.stop();
  }
});
