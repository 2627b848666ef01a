import type { Steward } from "./support";
import { expect, test } from "./support";

interface Network {
  id: number;
  name: string;
  title: string;
  url_template: string;
}

async function newNetwork(steward: Steward): Promise<Network> {
  const name = steward.unique("network");
  const body = { name, title: `Title of ${name}`, url_template: "https://example.com/{handle}" };
  const reply = await steward.api<{ social_network: Network }>(
    "POST",
    "/api/social-networks",
    body,
  );
  return reply.social_network;
}

async function networks(steward: Steward): Promise<Network[]> {
  const reply = await steward.read<{ social_networks: Network[] }>("/api/social-networks");
  return reply.social_networks;
}

test("a network is created after its fault was corrected", async ({ page, steward }) => {
  const name = steward.unique("mastodon");
  await page.goto(steward.url("/social-networks"));
  await page.getByRole("link", { name: "New network" }).click();
  await page.getByLabel("Title").fill("Mastodon");
  await page.getByLabel("Short name").fill(name);
  await page.getByLabel("Address of a profile").fill("https://example.com/");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByText("contains {handle} once")).toBeVisible();
  await page.getByLabel("Address of a profile").fill("https://example.com/@{handle}");
  await page.getByRole("button", { name: "Create" }).click();
  await expect(page.getByRole("heading", { name: "Social networks" })).toBeVisible();
  const created = (await networks(steward)).find((network) => network.name === name);
  expect(created).toMatchObject({
    title: "Mastodon",
    url_template: "https://example.com/@{handle}",
  });
});

test("a network is changed", async ({ page, steward }) => {
  const { id } = await newNetwork(steward);
  await page.goto(steward.url(`/social-networks/${id}`));
  await page.getByLabel("Title").fill("Fediverse");
  await page.getByLabel("Address of a profile").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Fediverse" })).toBeVisible();
  const changed = (await networks(steward)).find((network) => network.id === id);
  expect(changed).toMatchObject({ title: "Fediverse", url_template: "" });
});

test("a network is deleted, unless a user has linked it", async ({ page, steward }) => {
  const { id, title } = await newNetwork(steward);
  const user = await steward.addUser("networker");
  const link = await steward.api<{ social_network: { id: number } }>(
    "POST",
    `/api/users/${user.id}/social-networks`,
    { network_id: id, profile_url: "anna" },
  );
  await page.goto(steward.url(`/social-networks/${id}`));
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: `Delete ${title}?` });
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(dialog.getByText("Users have linked profiles")).toBeVisible();
  await steward.api("DELETE", `/api/users/${user.id}/social-networks/${link.social_network.id}`);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/social-networks$/);
  expect((await networks(steward)).map((network) => network.id)).not.toContain(id);
});
