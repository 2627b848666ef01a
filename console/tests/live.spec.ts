import type { Page } from "@playwright/test";
import { live, saveChanges } from "./pages";
import { newRole, readRole } from "./roles";
import { expect, type SignedIn, type Steward, test } from "./support";

async function rename(steward: Steward, by: SignedIn, id: number, name: string): Promise<void> {
  const { page } = by;
  await page.goto(steward.url(`/roles/${id}`));
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await saveChanges(page);
}

/** Waits until the row of this name has a mark with this text. */
async function marked(page: Page, name: string, mark: string): Promise<void> {
  const look = (wanted: { name: string; mark: string }) =>
    new Promise<void>((resolve) => {
      const seen = (row: Element) =>
        row.textContent.includes(wanted.name) &&
        getComputedStyle(row, "::after").content.includes(wanted.mark);
      const frame = () => {
        if ([...document.querySelectorAll("tr")].some(seen)) {
          resolve();
        } else {
          requestAnimationFrame(frame);
        }
      };
      frame();
    });
  await page.evaluate(look, { name, mark });
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
    await live(page);
    const { name: before } = await readRole(steward, role.id);
    await expect(page.getByRole("row", { name: before })).toBeVisible();

    const name = steward.unique(`Renamed by ${by.username}`);
    // The mark goes away by itself, so the page looks for it in each frame.
    await Promise.all([
      rename(steward, by, role.id, name),
      marked(page, name, `Changed just now by ${by.username}`),
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
  await live(page);
  await expect(page.getByRole("textbox", { name: "Description" })).toHaveValue("As it was");
  await steward.api("PUT", `/api/roles/${role.id}`, { description: "As it is" });
  await expect(page.getByRole("textbox", { name: "Description" })).toHaveValue("As it is");
});
