import { expect, type Locator, type Page } from "@playwright/test";
import { RESOURCES } from "../src/api/resources";
import { PAGES, RESOURCE_PAGES } from "../src/pages";
import { newBan } from "./bans";
import { addProduct } from "./products";
import type { Steward } from "./support";

/** One page of the console, and how to get its address. */
export interface Place {
  name: string;
  path: (steward: Steward) => Promise<string>;
}

type Name = keyof typeof RESOURCES;

/** What the demo data has none of. */
const MADE: Partial<Record<Name, (steward: Steward) => unknown>> = {
  "api-keys": (steward) => ({ name: steward.unique("key") }),
  bans: (steward) => newBan(steward),
  webhooks: (steward) => ({
    name: steward.unique("webhook"),
    url: "http://127.0.0.1:9/hook",
    events: ["users.create"],
  }),
};

/** Every page of `src/pages`: lists, forms for something new, one record of each, and the rest. */
export const PLACES: Place[] = [
  at("/"),
  ...RESOURCE_PAGES.flatMap(({ name }) => [
    at(`/${name}`),
    at(`/${name}/create`),
    {
      name: `/${name}/:id`,
      path: async (steward: Steward) => `/${name}/${await one(steward, name)}`,
    },
  ]),
  ...PAGES.map(({ path }) => at(path)),
];

function at(path: string): Place {
  return { name: path, path: () => Promise.resolve(path) };
}

/** The id of some record. */
export async function one(steward: Steward, name: Name): Promise<number> {
  const info: { path: string; many: string; id?: string } = RESOURCES[name];
  const read = async () => {
    const reply = await steward.read<Record<string, Record<string, number>[]>>(info.path);
    return reply[info.many]?.[0]?.[info.id ?? "id"];
  };
  const found = await read();
  if (found !== undefined) {
    return found;
  }
  if (name === "products") {
    return (await addProduct(steward)).id;
  }
  await steward.api("POST", info.path, MADE[name]?.(steward));
  return (await read()) ?? 0;
}

/** What is shown while something is loading. */
export const BUSY = ".MuiSkeleton-root, [aria-busy=true]";

/** Waits until a page shows what it has to show. */
export async function ready(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator(BUSY)).toHaveCount(0);
}

/** Waits until a page hears of changes that others make. */
export async function live(page: Page): Promise<void> {
  await expect(page.getByRole("status", { name: /^Live/ })).toBeVisible();
}

/** The bar that a page shows while one of its forms has unsaved changes. */
export function unsavedBar(page: Page): Locator {
  return page.getByRole("region", { name: "Unsaved changes" });
}

/** Saves what was changed on a page, and waits until that is done. */
export async function saveChanges(page: Page): Promise<void> {
  await unsavedBar(page).getByRole("button", { name: "Save" }).click();
  await expect(unsavedBar(page)).toHaveCount(0);
}

/** The forms of a page that save something. */
export async function forms(page: Page): Promise<Locator[]> {
  const settings = page.getByRole("tab", { name: "Settings" });
  if ((await settings.count()) > 0) {
    await settings.click();
  }
  // What only asks has nothing to lose: the check of a promo code, the console of a server.
  const asks = page.getByRole("button", { name: /^(Check|Run)$/ });
  return page.locator("main form:visible").filter({ hasNot: asks }).all();
}

/** Without the hidden inputs that a list to choose from has. */
const TEXT =
  "input:not([role=combobox], [aria-hidden=true], [type=checkbox], [type=radio], [type=color]), textarea:not([aria-hidden=true])";

/** What can be typed into inputs of these types. */
const TYPED: Record<string, string> = { number: "7", "datetime-local": "2030-03-01T12:00" };

/** Changes something in a form, whatever it has: a text, a checkbox, or a list to choose from. */
export async function edit(form: Locator): Promise<void> {
  const text = form.locator(TEXT).and(form.locator(":enabled")).first();
  const box = form.locator("input[type=checkbox]:enabled").first();
  if ((await text.count()) > 0) {
    await text.fill(TYPED[(await text.getAttribute("type")) ?? ""] ?? "changed");
  } else if ((await box.count()) > 0) {
    await box.click();
  } else {
    await form.getByRole("combobox").first().click();
    await form.page().getByRole("option").first().click();
    await form.page().keyboard.press("Escape");
  }
}
