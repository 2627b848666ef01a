/** The resources of the API that have lists: where they are, and who may read and change them. */

export interface ResourceInfo {
  path: string;
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
  /** Whether the list takes `sort`. */
  sortable?: boolean;
  read: string;
  write: string;
  /** The name in the audit log and in events. */
  audit: string;
}

export const RESOURCES = {
  users: {
    path: "/api/users",
    one: "user",
    many: "users",
    sortable: true,
    read: "admin.users.read",
    write: "admin.users",
    audit: "users",
  },
  roles: {
    path: "/api/roles",
    one: "role",
    many: "roles",
    read: "admin.roles.read",
    write: "admin.roles",
    audit: "roles",
  },
  servers: {
    path: "/api/servers",
    one: "server",
    many: "servers",
    include: "query_port",
    read: "admin.servers.read",
    write: "admin.servers",
    audit: "servers",
  },
  pages: {
    path: "/api/cms-pages",
    one: "page",
    many: "pages",
    read: "admin.pages.read",
    write: "admin.pages",
    audit: "pages",
  },
  navigation: {
    path: "/api/navbar-items",
    one: "navbar_item",
    many: "navbar_items",
    read: "admin.navigation.read",
    write: "admin.navigation",
    audit: "navbar_items",
  },
  invoices: {
    path: "/api/payment-invoices",
    one: "payment_invoice",
    many: "payment_invoices",
    sortable: true,
    read: "admin.payments.read",
    write: "admin.payments",
    audit: "payment_invoices",
  },
  currencies: {
    path: "/api/currencies",
    one: "currency",
    many: "currencies",
    size: "limit",
    read: "admin.currencies.read",
    write: "admin.currencies",
    audit: "currencies",
  },
  gateways: {
    path: "/api/payment-gateways",
    one: "payment_gateway",
    many: "payment_gateways",
    read: "admin.payments.read",
    write: "admin.payments",
    audit: "payment_gateways",
  },
  "promo-codes": {
    path: "/api/promo-codes",
    one: "promo_code",
    many: "promo_codes",
    read: "admin.payments.read",
    write: "admin.payments",
    audit: "promo_codes",
  },
  "social-networks": {
    path: "/api/social-networks",
    one: "social_network",
    many: "social_networks",
    read: "admin.users.read",
    write: "admin.users",
    audit: "social_networks",
  },
  "api-keys": {
    path: "/api/api-keys",
    one: "api_key",
    many: "api_keys",
    read: "admin.api-keys.read",
    write: "admin.api-keys",
    audit: "api_keys",
  },
  webhooks: {
    path: "/api/webhooks",
    one: "webhook",
    many: "webhooks",
    read: "admin.webhooks.read",
    write: "admin.webhooks",
    audit: "webhooks",
  },
  operators: {
    path: "/api/operators",
    one: "operator",
    many: "operators",
    id: "user_id",
    read: "admin.api-keys.read",
    write: "admin.api-keys",
    audit: "operators",
  },
} satisfies Record<string, ResourceInfo>;

export type ResourceName = keyof typeof RESOURCES;

export function resource(name: string): ResourceInfo {
  const info = (RESOURCES as Record<string, ResourceInfo>)[name];
  if (info === undefined) {
    throw new Error(`there is no resource ${name}`);
  }
  return info;
}
