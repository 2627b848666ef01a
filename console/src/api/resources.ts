/** The resources of the API that have lists: where they are, and who may read and change them. */

import type { common } from "../i18n/common";
import type { TextKey } from "../i18n/parts";

export interface ResourceInfo {
  path: string;
  /** What the console calls its list. */
  title: TextKey;
  /** The key of one record in a reply. */
  one: string;
  /** The key of the records in the reply to a list. */
  many: string;
  /** The name of the field that identifies a record, unless it is `id`. */
  id?: string;
  /** The parameter for the size of a page, unless it is `per_page`. */
  size?: string;
  /** Fields of one record that have to be asked for, as the parameter `include`. */
  include?: string;
  /** The same for the records of a list. */
  listInclude?: string;
  /** Whether the list takes `sort`. */
  sortable?: boolean;
  read: string;
  write: string;
  /** The name in the audit log and in events. */
  audit: string;
}

/** What is unusual about a resource. */
type More = Partial<
  Pick<ResourceInfo, "path" | "id" | "size" | "include" | "listInclude" | "sortable">
>;

/** `admin.roles` includes `admin.roles.read`, and the audit log names a resource as its list does. */
function listed(
  one: string,
  many: keyof typeof common.en.resources,
  write: string,
  more: More = {},
): ResourceInfo {
  const title = `common.resources.${many}` as const;
  const path = `/api/${many.replaceAll("_", "-")}`;
  return { path, title, one, many, read: `${write}.read`, write, audit: many, ...more };
}

export const RESOURCES = {
  users: listed("user", "users", "admin.users", {
    sortable: true,
    include: "block",
    listInclude: "roles,social,block",
  }),
  roles: listed("role", "roles", "admin.roles", {
    include: "color,members",
    listInclude: "color,members",
  }),
  servers: listed("server", "servers", "admin.servers", { include: "query_port" }),
  bans: listed("ban", "bans", "admin.bans"),
  pages: listed("page", "pages", "admin.pages", { path: "/api/cms-pages" }),
  navigation: listed("navbar_item", "navbar_items", "admin.navigation"),
  invoices: listed("payment_invoice", "payment_invoices", "admin.payments", {
    sortable: true,
    include: "product",
  }),
  products: listed("product", "products", "admin.products"),
  currencies: listed("currency", "currencies", "admin.currencies", { size: "limit" }),
  gateways: listed("payment_gateway", "payment_gateways", "admin.payments"),
  "promo-codes": listed("promo_code", "promo_codes", "admin.payments"),
  "social-networks": listed("social_network", "social_networks", "admin.users"),
  "api-keys": listed("api_key", "api_keys", "admin.api-keys"),
  webhooks: listed("webhook", "webhooks", "admin.webhooks"),
  // One record at an address without an id.
  discord: listed("discord", "discord", "admin.discord"),
  operators: listed("operator", "operators", "admin.api-keys", { id: "user_id" }),
} satisfies Record<string, ResourceInfo>;

export type ResourceName = keyof typeof RESOURCES;

export function resource(name: string): ResourceInfo {
  const info = (RESOURCES as Record<string, ResourceInfo>)[name];
  if (info === undefined) {
    throw new Error(`there is no resource ${name}`);
  }
  return info;
}
