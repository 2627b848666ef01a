import { Service } from "./service";
import { signInWithSteam, startSteam } from "./steam";
import { expect, test } from "./support";

test(
  "a verified profile is shown and unlinked, unless it is the only way in",
  { tag: "@core" },
  async ({ steward }) => {
    const steam = await startSteam();
    const service = await Service.start(null, steam.settings);
    try {
      const id = await signInWithSteam(service, "76561197969249708");
      // Its button would have the same name.
      await service.api("DELETE", `/api/users/${id}/social-networks/1`);
      const page = await steward.guest({}, service.origin);
      await page.goto(service.url("/sign-in"));
      await page.getByRole("button", { name: "Use an API key" }).click();
      await page.getByLabel("API key").fill("key-of-the-browser-tests");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("banner")).toBeVisible();
      await page.goto(service.url(`/users/${id}`));
      await expect(page.getByText("Verified profiles")).toBeVisible();
      await expect(page.getByText("76561197969249708").first()).toBeVisible();

      // Game servers recognise the user by it, so a ban of the user needs nothing else.
      const warning = page.getByText("This user has linked no SteamID");
      const known = page.waitForResponse(/\/identities$/);
      await page.goto(service.url(`/bans/create?user_id=${id}`));
      await known;
      await expect(page.getByRole("combobox", { name: "User" })).not.toHaveValue("");
      await expect(warning).toHaveCount(0);
      await page.goto(service.url(`/users/${id}`));

      const unlink = async () => {
        await page.getByRole("button", { name: "Remove: Steam" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      };
      await unlink();
      await expect(page.getByText("the only way in which the user can sign in")).toBeVisible();
      const password = { password: "long enough to be one" };
      await service.api("PUT", `/api/users/${id}`, password);
      await page.reload();
      await unlink();
      await expect(page.getByText("does not sign in with Steam or Discord")).toBeVisible();
      const list = await service.read<{ identities: unknown[] }>(`/api/users/${id}/identities`);
      expect(list.identities).toEqual([]);
      await page.goto(service.url(`/bans/create?user_id=${id}`));
      await expect(warning).toBeVisible();
      // Its connections end with it. The service would wait for them otherwise.
      await page.context().close();
    } finally {
      await service.stop();
      steam.stop();
    }
  },
);
