import { type ComponentType, createElement, lazy, useState } from "react";
import type { ResourceProps } from "react-admin";
import type { ResourceName } from "../api/resources";

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
  const Waiting = lazy(loading);
  const Page = () => {
    // It stays the same as long as the page is open, and what was typed with it.
    const [Shown] = useState<ComponentType>(() => Loaded ?? Waiting);
    return createElement(Shown);
  };
  return Object.assign(Page, { load: loading });
}

type ResourcePages = ResourceProps & { name: ResourceName; list: ReturnType<typeof page> };

export const DASHBOARD = page(() => import("./dashboard"), "Dashboard");

/** The pages of resources: their list, a new one, and one of them. */
export const RESOURCE_PAGES: ResourcePages[] = [
  {
    name: "users",
    list: page(() => import("./users"), "UserList"),
    create: page(() => import("./users"), "UserCreate"),
    edit: page(() => import("./users"), "UserPage"),
    recordRepresentation: "username",
  },
  {
    name: "roles",
    list: page(() => import("./roles"), "RoleList"),
    create: page(() => import("./roles"), "RoleCreate"),
    edit: page(() => import("./roles"), "RolePage"),
    recordRepresentation: "name",
  },
  {
    name: "servers",
    list: page(() => import("./servers"), "ServerList"),
    create: page(() => import("./servers"), "ServerCreate"),
    edit: page(() => import("./servers"), "ServerPage"),
    recordRepresentation: "name",
  },
  {
    name: "social-networks",
    list: page(() => import("./social-networks"), "SocialNetworkList"),
    create: page(() => import("./social-networks"), "SocialNetworkCreate"),
    edit: page(() => import("./social-networks"), "SocialNetworkPage"),
    recordRepresentation: "title",
  },
  {
    name: "invoices",
    list: page(() => import("./payments/invoices"), "InvoiceList"),
    create: page(() => import("./payments/invoices"), "InvoiceCreate"),
    edit: page(() => import("./payments/invoices"), "InvoicePage"),
    recordRepresentation: "id",
  },
  {
    name: "promo-codes",
    list: page(() => import("./payments/promo-codes"), "PromoCodeList"),
    create: page(() => import("./payments/promo-codes"), "PromoCodeCreate"),
    edit: page(() => import("./payments/promo-codes"), "PromoCodePage"),
    recordRepresentation: "code",
  },
  {
    name: "gateways",
    list: page(() => import("./payments/gateways"), "GatewayList"),
    create: page(() => import("./payments/gateways"), "GatewayCreate"),
    edit: page(() => import("./payments/gateways"), "GatewayPage"),
    recordRepresentation: "name",
  },
  {
    name: "currencies",
    list: page(() => import("./payments/currencies"), "CurrencyList"),
    create: page(() => import("./payments/currencies"), "CurrencyCreate"),
    edit: page(() => import("./payments/currencies"), "CurrencyPage"),
    recordRepresentation: "code",
  },
  {
    name: "pages",
    list: page(() => import("./pages"), "PageList"),
    create: page(() => import("./pages"), "PageCreate"),
    edit: page(() => import("./pages"), "PagePage"),
    recordRepresentation: "title",
  },
  {
    name: "api-keys",
    list: page(() => import("./api-keys"), "ApiKeyList"),
    create: page(() => import("./api-keys"), "ApiKeyCreate"),
    edit: page(() => import("./api-keys"), "ApiKeyPage"),
    recordRepresentation: "name",
  },
  {
    name: "operators",
    list: page(() => import("./operators"), "OperatorList"),
    create: page(() => import("./operators"), "OperatorCreate"),
    edit: page(() => import("./operators"), "OperatorPage"),
    recordRepresentation: "username",
  },
  {
    name: "webhooks",
    list: page(() => import("./webhooks"), "WebhookList"),
    create: page(() => import("./webhooks"), "WebhookCreate"),
    edit: page(() => import("./webhooks"), "WebhookPage"),
    recordRepresentation: "name",
  },
];

/** The pages that are not made of a list and its records. */
export const PAGES = [
  { path: "/navigation", Page: page(() => import("./navigation"), "NavigationPage") },
  { path: "/statistics", Page: page(() => import("./payments/statistics"), "StatisticsPage") },
  { path: "/audit-log", Page: page(() => import("./audit"), "AuditPage") },
  { path: "/system", Page: page(() => import("./system"), "SystemPage") },
  { path: "/account", Page: page(() => import("./account"), "AccountPage") },
];

/** Begins to load the page of an address that the person is about to open. */
export function preload(path: string): void {
  const [, first = ""] = path.split("/");
  const list = RESOURCE_PAGES.find(({ name }) => name === first)?.list;
  const other = PAGES.find(({ path }) => path === `/${first}`)?.Page;
  const page = first === "" ? DASHBOARD : (list ?? other);
  // A failure is shown when the page is opened.
  page?.load().catch(() => undefined);
}
