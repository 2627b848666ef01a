import { saveChanges } from "./pages";
import { newRole, readRole } from "./roles";
import { expect, type SignedIn, type Steward, test } from "./support";

async function rename(steward: Steward, by: SignedIn, id: number, name: string): Promise<void> {
  const { page } = by;
  await page.goto(steward.url(`/roles/${id}`));
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await saveChanges(page);
}

test("two operators see each other's changes without reloading", async ({ steward }) => {
  const role = await newRole(steward);
  const [one, two] = [
    await steward.operator({ permissions: "all" }),
    await steward.operator({ permissions: "all" }),
  ];
  for (const [by, seenBy] of [
    [one, two],
    [two, one],
  ] as const) {
    const { page } = seenBy;
    await page.goto(steward.url("/roles?perPage=100"));
    await expect(page.getByRole("status", { name: /^Live/ })).toBeVisible();
    const { name: before } = await readRole(steward, role.id);
    await expect(page.getByRole("row", { name: before })).toBeVisible();

    const name = steward.unique(`Renamed by ${by.username}`);
    const row = page.getByRole("row", { name });
    const mark = () => row.evaluate((element) => getComputedStyle(element, "::after").content);
    // The mark goes away by itself, so it is awaited while the other page is still saving.
    await Promise.all([
      rename(steward, by, role.id, name),
      expect.poll(mark).toContain(`Changed just now by ${by.username}`),
    ]);
    expect((await readRole(steward, role.id)).name).toBe(name);
  }
});

test("a form that nothing was typed into shows another person's change", async ({
  page,
  steward,
}) => {
  const role = await newRole(steward);
  await page.goto(steward.url(`/roles/${role.id}`));
  await expect(page.getByRole("status", { name: /^Live/ })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Description" })).toHaveValue("As it was");
  await steward.api("PUT", `/api/roles/${role.id}`, { description: "As it is" });
  await expect(page.getByRole("textbox", { name: "Description" })).toHaveValue("As it is");
});
