import BadgeOutlined from "@mui/icons-material/BadgeOutlined";
import CurrencyExchange from "@mui/icons-material/CurrencyExchange";
import DescriptionOutlined from "@mui/icons-material/DescriptionOutlined";
import DnsOutlined from "@mui/icons-material/DnsOutlined";
import GroupOutlined from "@mui/icons-material/GroupOutlined";
import HistoryOutlined from "@mui/icons-material/HistoryOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import LinkOutlined from "@mui/icons-material/LinkOutlined";
import LocalOfferOutlined from "@mui/icons-material/LocalOfferOutlined";
import MenuOpenOutlined from "@mui/icons-material/AccountTreeOutlined";
import MonitorHeartOutlined from "@mui/icons-material/MonitorHeartOutlined";
import PaymentsOutlined from "@mui/icons-material/PaymentsOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import ShieldOutlined from "@mui/icons-material/ShieldOutlined";
import SpaceDashboardOutlined from "@mui/icons-material/SpaceDashboardOutlined";
import SupervisorAccountOutlined from "@mui/icons-material/SupervisorAccountOutlined";
import VpnKeyOutlined from "@mui/icons-material/VpnKeyOutlined";
import WebhookOutlined from "@mui/icons-material/WebhookOutlined";
import type { SvgIconComponent } from "@mui/icons-material";
import type { TextKey } from "../i18n";

export interface MenuItem {
  text: TextKey;
  path: string;
  icon: SvgIconComponent;
  /** Who sees it. Without one, everybody. */
  permission?: string;
}

export interface MenuGroup {
  text: TextKey;
  items: MenuItem[];
}

/** The pages of the console, as the sidebar and the palette offer them. */
export const MENU: MenuGroup[] = [
  {
    text: "shell.groups.overview",
    items: [{ text: "shell.items.dashboard", path: "/", icon: SpaceDashboardOutlined }],
  },
  {
    text: "shell.groups.community",
    items: [
      {
        text: "shell.items.users",
        path: "/users",
        icon: GroupOutlined,
        permission: "admin.users.read",
      },
      {
        text: "shell.items.roles",
        path: "/roles",
        icon: BadgeOutlined,
        permission: "admin.roles.read",
      },
      {
        text: "shell.items.servers",
        path: "/servers",
        icon: DnsOutlined,
        permission: "admin.servers.read",
      },
      {
        text: "shell.items.socialNetworks",
        path: "/social-networks",
        icon: LinkOutlined,
        permission: "admin.users.read",
      },
    ],
  },
  {
    text: "shell.groups.money",
    items: [
      {
        text: "shell.items.invoices",
        path: "/invoices",
        icon: ReceiptLongOutlined,
        permission: "admin.payments.read",
      },
      {
        text: "shell.items.statistics",
        path: "/statistics",
        icon: InsightsOutlined,
        permission: "admin.payments.read",
      },
      {
        text: "shell.items.promoCodes",
        path: "/promo-codes",
        icon: LocalOfferOutlined,
        permission: "admin.payments.read",
      },
      {
        text: "shell.items.gateways",
        path: "/gateways",
        icon: PaymentsOutlined,
        permission: "admin.payments.read",
      },
      {
        text: "shell.items.currencies",
        path: "/currencies",
        icon: CurrencyExchange,
        permission: "admin.currencies.read",
      },
    ],
  },
  {
    text: "shell.groups.site",
    items: [
      {
        text: "shell.items.pages",
        path: "/pages",
        icon: DescriptionOutlined,
        permission: "admin.pages.read",
      },
      {
        text: "shell.items.navigation",
        path: "/navigation",
        icon: MenuOpenOutlined,
        permission: "admin.navigation.read",
      },
    ],
  },
  {
    text: "shell.groups.access",
    items: [
      {
        text: "shell.items.operators",
        path: "/operators",
        icon: SupervisorAccountOutlined,
        permission: "admin.api-keys.read",
      },
      {
        text: "shell.items.apiKeys",
        path: "/api-keys",
        icon: VpnKeyOutlined,
        permission: "admin.api-keys.read",
      },
      {
        text: "shell.items.webhooks",
        path: "/webhooks",
        icon: WebhookOutlined,
        permission: "admin.webhooks.read",
      },
      {
        text: "shell.items.audit",
        path: "/audit-log",
        icon: HistoryOutlined,
        permission: "admin.audit.read",
      },
    ],
  },
  {
    text: "shell.groups.service",
    items: [
      { text: "shell.items.system", path: "/system", icon: MonitorHeartOutlined },
      { text: "shell.items.account", path: "/account", icon: ShieldOutlined },
    ],
  },
];
