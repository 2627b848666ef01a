import type { Page } from "@playwright/test";
import { expect, type Steward, test } from "./support";

interface Item {
  id: number;
  title: string;
  url: string | null;
  parent_id: number | null;
  position: number;
  visible_only_for_logged_in: boolean;
  roles: { id: number; name: string }[];
  children: Item[];
}

async function newItem(steward: Steward, fields: object = {}): Promise<Item> {
  const title = steward.unique("Item");
  const { navbar_item } = await steward.api<{ navbar_item: Item }>("POST", "/api/navbar-items", {
    title,
    position: 1000,
    ...fields,
  });
  return navbar_item;
}

async function read(steward: Steward, id: number): Promise<Item> {
  const reply = await steward.read<{ navbar_item: Item }>(`/api/navbar-items/${id}`);
  return reply.navbar_item;
}

/** The titles below an item, in order. */
async function below(steward: Steward, id: number): Promise<string[]> {
  return (await read(steward, id)).children.map(({ title }) => title);
}

/** A parent with three children. */
async function family(steward: Steward) {
  const parent = await newItem(steward);
  const children = [];
  for (const position of [10, 20, 30]) {
    children.push(await newItem(steward, { parent_id: parent.id, position }));
  }
  const [first, second, third] = children as [Item, Item, Item];
  return { parent, first, second, third };
}

const row = (page: Page, { title }: { title: string }) =>
  page.getByRole("treeitem").filter({ has: page.getByText(title, { exact: true }) });

async function choose(page: Page, item: Item, action: string): Promise<void> {
  await row(page, item)
    .getByRole("button", { name: `Actions for ${item.title}`, exact: true })
    .click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

test("a new item is created below another one, with its rules", async ({ page, steward }) => {
  const parent = await newItem(steward);
  const title = steward.unique("New");
  await page.goto(steward.url("/navigation"));
  await choose(page, parent, "Add an item below");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Title" }).fill(title);
  await dialog.getByRole("combobox", { name: "Page or address" }).fill("/somewhere");
  await dialog.getByRole("radio", { name: "Signed-in visitors" }).check();
  await dialog.getByRole("combobox", { name: "Only for these roles" }).click();
  await page.getByRole("option").first().click();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Create", exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(row(page, { title })).toBeVisible();

  const [child] = (await read(steward, parent.id)).children;
  expect(child).toMatchObject({ title, url: "/somewhere", visible_only_for_logged_in: true });
  expect((await read(steward, child?.id ?? 0)).roles).toHaveLength(1);
});

test("an item is edited", async ({ page, steward }) => {
  const item = await newItem(steward);
  await page.goto(steward.url("/navigation"));
  await row(page, item).click();
  const dialog = page.getByRole("dialog", { name: item.title });
  await dialog.getByRole("textbox", { name: "Title" }).fill(`${item.title} renamed`);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(row(page, { title: `${item.title} renamed` })).toBeVisible();
  expect(await read(steward, item.id)).toMatchObject({ title: `${item.title} renamed` });
});

test("an address that is not valid is explained at its field", async ({ page, steward }) => {
  const item = await newItem(steward);
  await page.goto(steward.url(`/navigation?item=${item.id}`));
  const dialog = page.getByRole("dialog", { name: item.title });
  await dialog.getByRole("combobox", { name: "Page or address" }).fill("javascript:alert(1)");
  await dialog.getByRole("textbox", { name: "Title" }).focus();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(dialog.getByText(/Must be relative or begin with/)).toBeVisible();
});

test("an item is moved with the keyboard alone, and the move is announced", async ({
  page,
  steward,
}) => {
  const { parent, first, second, third } = await family(steward);
  await page.goto(steward.url("/navigation"));
  await row(page, third).focus();
  await page.keyboard.press("Space");
  const status = page.getByRole("status").filter({ hasText: third.title });
  await expect(status).toContainText("is picked up");
  // Each step leads to the next place: between two items, or into one.
  const place = page.getByText(`position 1 of 3 below ${parent.title}`, { exact: true });
  for (let step = 0; step < 12 && !(await place.isVisible()); step += 1) {
    await page.keyboard.press("ArrowUp");
  }
  await expect(place).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByText(`${third.title} moved: position 1 of 3`)).toBeVisible();
  await expect
    .poll(() => below(steward, parent.id))
    .toEqual([third.title, first.title, second.title]);
});

test("Escape cancels a move", async ({ page, steward }) => {
  const { parent, first, second, third } = await family(steward);
  await page.goto(steward.url("/navigation"));
  await row(page, third).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Escape");
  await expect(page.getByText("is picked up")).toHaveCount(0);
  expect(await below(steward, parent.id)).toEqual([first.title, second.title, third.title]);
});

test("an item is dragged into another one", async ({ page, steward }) => {
  const { parent, first, second, third } = await family(steward);
  await page.goto(steward.url("/navigation"));
  await row(page, third).dragTo(row(page, first));
  await expect.poll(() => below(steward, first.id)).toEqual([third.title]);
  expect(await below(steward, parent.id)).toEqual([first.title, second.title]);
  await expect(row(page, third)).toHaveAttribute("aria-level", "3");
});

test("the menu of an item moves it step by step", async ({ page, steward }) => {
  const { parent, first, second, third } = await family(steward);
  await page.goto(steward.url("/navigation"));
  await choose(page, second, "Move up");
  await expect
    .poll(() => below(steward, parent.id))
    .toEqual([second.title, first.title, third.title]);
  await choose(page, first, "Move into the item above");
  await expect.poll(() => below(steward, second.id)).toEqual([first.title]);
  await choose(page, first, "Move out one level");
  await expect
    .poll(() => below(steward, parent.id))
    .toEqual([second.title, first.title, third.title]);
});

test("an item is deleted, unless others are below it", async ({ page, steward }) => {
  const { parent, first } = await family(steward);
  await page.goto(steward.url("/navigation"));
  await choose(page, parent, "Delete");
  const refusal = page.getByRole("dialog", { name: `“${parent.title}” cannot be deleted yet` });
  await expect(refusal).toContainText("Move or delete them first.");
  await expect(refusal).toContainText(first.title);
  await refusal.getByRole("button", { name: "Close" }).click();

  await choose(page, first, "Delete");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  // Behind a dialog there are no rows for anybody.
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(row(page, first)).toHaveCount(0);
  expect(await below(steward, parent.id)).not.toContain(first.title);
});

test("the preview shows what a visitor sees", async ({ page, steward }) => {
  const { roles } = await steward.read<{ roles: { id: number; name: string }[] }>("/api/roles");
  const role = roles[0] ?? { id: 0, name: "" };
  const everyone = await newItem(steward);
  const guests = await newItem(steward, { visible_only_for_guests: true });
  const members = await newItem(steward, { visible_only_for_logged_in: true });
  const holders = await newItem(steward, { roles: [role.id] });
  const phones = await newItem(steward, { visibility: "mobile" });
  await page.goto(steward.url("/navigation"));
  const menu = page.getByRole("navigation", { name: "Preview" });
  const sees = async (shown: Item[], hidden: Item[]) => {
    for (const { title } of shown) {
      await expect(menu.getByText(title, { exact: true })).toBeVisible();
    }
    for (const { title } of hidden) {
      await expect(menu.getByText(title, { exact: true })).toHaveCount(0);
    }
  };
  await sees([everyone, guests], [members, holders, phones]);
  await page.getByRole("combobox", { name: "Visitor" }).click();
  await page.getByRole("option", { name: `Role: ${role.name}`, exact: true }).click();
  await sees([everyone, members, holders], [guests, phones]);
  await page.getByRole("button", { name: "Phone", exact: true }).click();
  await sees([everyone, members, holders, phones], [guests]);
  await page.reload();
  await sees([everyone, members, holders, phones], [guests]);
});
