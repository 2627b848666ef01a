import type { SvgIconComponent } from "@mui/icons-material";
import MenuOpenOutlined from "@mui/icons-material/AccountTreeOutlined";
import BadgeOutlined from "@mui/icons-material/BadgeOutlined";
import BlockOutlined from "@mui/icons-material/BlockOutlined";
import CardGiftcardOutlined from "@mui/icons-material/CardGiftcardOutlined";
import CurrencyExchange from "@mui/icons-material/CurrencyExchange";
import DescriptionOutlined from "@mui/icons-material/DescriptionOutlined";
import DnsOutlined from "@mui/icons-material/DnsOutlined";
import ForumOutlined from "@mui/icons-material/ForumOutlined";
import GavelOutlined from "@mui/icons-material/GavelOutlined";
import GroupOutlined from "@mui/icons-material/GroupOutlined";
import HistoryOutlined from "@mui/icons-material/HistoryOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import LinkOutlined from "@mui/icons-material/LinkOutlined";
import LocalOfferOutlined from "@mui/icons-material/LocalOfferOutlined";
import MonitorHeartOutlined from "@mui/icons-material/MonitorHeartOutlined";
import PaymentsOutlined from "@mui/icons-material/PaymentsOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import ShieldOutlined from "@mui/icons-material/ShieldOutlined";
import SellOutlined from "@mui/icons-material/SellOutlined";
import SpaceDashboardOutlined from "@mui/icons-material/SpaceDashboardOutlined";
import SupervisorAccountOutlined from "@mui/icons-material/SupervisorAccountOutlined";
import VpnKeyOutlined from "@mui/icons-material/VpnKeyOutlined";
import WebhookOutlined from "@mui/icons-material/WebhookOutlined";
import { RESOURCES, type ResourceName } from "../api/resources";
import type { TextKey } from "../i18n";

interface MenuItem {
  text: TextKey;
  path: string;
  icon: SvgIconComponent;
  /** Who sees it. Without one, everybody. */
  permission?: string | undefined;
}

interface MenuGroup {
  text: TextKey;
  items: MenuItem[];
}

/** The icons of the resources. */
export const ICONS: Record<ResourceName, SvgIconComponent> = {
  users: GroupOutlined,
  bans: GavelOutlined,
  roles: BadgeOutlined,
  servers: DnsOutlined,
  "social-networks": LinkOutlined,
  invoices: ReceiptLongOutlined,
  products: SellOutlined,
  "promo-codes": LocalOfferOutlined,
  gateways: PaymentsOutlined,
  currencies: CurrencyExchange,
  pages: DescriptionOutlined,
  navigation: MenuOpenOutlined,
  operators: SupervisorAccountOutlined,
  "api-keys": VpnKeyOutlined,
  webhooks: WebhookOutlined,
  discord: ForumOutlined,
};

/** The list of a resource. */
function list(name: ResourceName): MenuItem {
  const { title, read } = RESOURCES[name];
  return { text: title, path: `/${name}`, icon: ICONS[name], permission: read };
}

/** The pages of the console, as the sidebar and the palette offer them. */
export const MENU: MenuGroup[] = [
  {
    text: "shell.groups.overview",
    items: [{ text: "dashboard.title", path: "/", icon: SpaceDashboardOutlined }],
  },
  {
    text: "shell.groups.community",
    items: [
      list("users"),
      {
        text: "users.blocked.title",
        path: "/blocked",
        icon: BlockOutlined,
        permission: "admin.users.read",
      },
      list("bans"),
      list("roles"),
      list("servers"),
      list("social-networks"),
    ],
  },
  {
    text: "shell.groups.money",
    items: [
      list("invoices"),
      {
        text: "shell.statistics",
        path: "/statistics",
        icon: InsightsOutlined,
        permission: "admin.payments.read",
      },
      list("products"),
      {
        text: "common.resources.grants",
        path: "/grants",
        icon: CardGiftcardOutlined,
        permission: "admin.products.read",
      },
      list("promo-codes"),
      list("gateways"),
      list("currencies"),
    ],
  },
  {
    text: "shell.groups.site",
    items: [list("pages"), list("navigation")],
  },
  {
    text: "shell.groups.access",
    items: [
      list("operators"),
      list("api-keys"),
      list("webhooks"),
      list("discord"),
      {
        text: "common.resources.audit_log",
        path: "/audit-log",
        icon: HistoryOutlined,
        permission: "admin.audit.read",
      },
    ],
  },
  {
    text: "shell.groups.service",
    items: [
      { text: "system.title", path: "/system", icon: MonitorHeartOutlined },
      { text: "account.title", path: "/account", icon: ShieldOutlined },
    ],
  },
];

/** The permission that a page needs. Pages without one are open to everybody who is signed in. */
export function neededFor(pathname: string): string | undefined {
  const [, first = "", second] = pathname.split("/");
  const info = Object.entries(RESOURCES).find(([name]) => name === first)?.[1];
  if (info !== undefined && second === "create") {
    return info.write;
  }
  return MENU.flatMap(({ items }) => items).find(({ path }) => path === `/${first}`)?.permission;
}
