import { expect, type Page } from "@playwright/test";
import { RESOURCES } from "../src/api/resources";
import { PAGES, RESOURCE_PAGES } from "../src/pages";
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
    const reply = await steward.api<Record<string, Record<string, number>[]>>("GET", info.path);
    return reply[info.many]?.[0]?.[info.id ?? "id"];
  };
  const found = await read();
  if (found !== undefined) {
    return found;
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
