import { type ComponentType, createElement, lazy, useState } from "react";
import type { ResourceProps } from "react-admin";
import type { ResourceName } from "../api/resources";
import { retried } from "../retried";

/**
 * Loads a page when it is first opened. One that is already loaded is shown at once: where React has
 * to wait for a page, it shows the placeholder for 300 ms at least.
 */
function page<M, K extends keyof M>(load: () => Promise<M>, name: K) {
  let Loaded: ComponentType | null = null;
  const loading = async () => {
    Loaded = (await load())[name] as ComponentType;
    return { default: Loaded };
  };
  const Waiting = lazy(() => retried(loading));
  const Page = () => {
    // It stays the same as long as the page is open, and what was typed with it.
    const [Shown] = useState<ComponentType>(() => Loaded ?? Waiting);
    return createElement(Shown);
  };
  return Object.assign(Page, { load: loading });
}

type ResourcePages = ResourceProps & { name: ResourceName; list: ReturnType<typeof page> };

/** The pages of one resource, which are loaded together: its list, a new one, and one of them. */
function resource<One extends string>(
  name: ResourceName,
  load: () => Promise<Record<`${One}${"List" | "Create" | "Page"}`, ComponentType>>,
  one: One,
  recordRepresentation: string,
): ResourcePages {
  return {
    name,
    list: page(load, `${one}List` as const),
    create: page(load, `${one}Create` as const),
    edit: page(load, `${one}Page` as const),
    recordRepresentation,
  };
}

export const DASHBOARD = page(() => import("./dashboard/Dashboard"), "Dashboard");

export const RESOURCE_PAGES: ResourcePages[] = [
  resource("users", () => import("./users/Users"), "User", "username"),
  resource("bans", () => import("./bans/Bans"), "Ban", "id"),
  resource("roles", () => import("./roles/Roles"), "Role", "name"),
  resource("servers", () => import("./servers/Servers"), "Server", "name"),
  resource(
    "social-networks",
    () => import("./social-networks/SocialNetworks"),
    "SocialNetwork",
    "title",
  ),
  resource("invoices", () => import("./payments/invoices/Invoices"), "Invoice", "id"),
  resource("products", () => import("./payments/products/Products"), "Product", "name"),
  resource("promo-codes", () => import("./payments/promo-codes/PromoCodes"), "PromoCode", "code"),
  resource("gateways", () => import("./payments/gateways/Gateways"), "Gateway", "name"),
  resource("currencies", () => import("./payments/currencies/Currencies"), "Currency", "code"),
  resource("pages", () => import("./pages/Pages"), "Page", "title"),
  resource("api-keys", () => import("./api-keys/ApiKeys"), "ApiKey", "name"),
  resource("operators", () => import("./operators/Operators"), "Operator", "username"),
  resource("webhooks", () => import("./webhooks/Webhooks"), "Webhook", "name"),
];

/** The pages that are not made of a list and its records. */
export const PAGES = [
  { path: "/blocked", Page: page(() => import("./users/Users"), "BlockedList") },
  {
    path: "/navigation",
    Page: page(() => import("./navigation/NavigationPage"), "NavigationPage"),
  },
  {
    path: "/statistics",
    Page: page(() => import("./payments/statistics/StatisticsPage"), "StatisticsPage"),
  },
  { path: "/grants", Page: page(() => import("./payments/grants/GrantsPage"), "GrantsPage") },
  { path: "/discord", Page: page(() => import("./discord/DiscordPage"), "DiscordPage") },
  { path: "/audit-log", Page: page(() => import("./audit/AuditPage"), "AuditPage") },
  { path: "/system", Page: page(() => import("./system/SystemPage"), "SystemPage") },
  { path: "/account", Page: page(() => import("./account/AccountPage"), "AccountPage") },
];

/** The pages before one is signed in. */
export const ENTRANCES = [
  { path: "/sign-in", Page: page(() => import("../session/SignIn"), "SignInPage") },
  { path: "/setup", Page: page(() => import("../session/SetUpPage"), "SetUpPage") },
];

/** Begins to load the page of an address that the person is about to open. */
export function preload(path: string): void {
  const [, first = ""] = path.split("/");
  const list = RESOURCE_PAGES.find(({ name }) => name === first)?.list;
  const other = [...PAGES, ...ENTRANCES].find(({ path }) => path === `/${first}`)?.Page;
  const page = first === "" ? DASHBOARD : (list ?? other);
  // A failure is shown when the page is opened.
  page?.load().catch(() => undefined);
}
