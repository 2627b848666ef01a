import type { SvgIconComponent } from "@mui/icons-material";
import DescriptionOutlined from "@mui/icons-material/DescriptionOutlined";
import DnsOutlined from "@mui/icons-material/DnsOutlined";
import PersonOutlined from "@mui/icons-material/PersonOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, body } from "../api/client";
import { useText } from "../i18n";
import { grants, useSession } from "../session/session";

/** One thing to jump to. */
export interface Found {
  group: string;
  text: string;
  detail?: string;
  path: string;
  icon: SvgIconComponent;
}

const DELAY_MS = 150;
const SHOWN = 6;
/** The service searches for three characters and more. */
const SHORTEST = 3;

export function useDelayed(value: string): string {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return delayed;
}

/** What the service has under these words: users, servers, pages, and an invoice by its number. */
export function useFound(typed: string): Found[] {
  const t = useText();
  const session = useSession();
  const query = useDelayed(typed);
  const isLong = query.length >= SHORTEST;
  const number = /^\d{1,15}$/.test(query) ? Number(query) : null;

  const users = useQuery({
    queryKey: ["users", "palette", query],
    queryFn: () =>
      body(api.GET("/api/users/search", { params: { query: { q: query, per_page: SHOWN } } })),
    enabled: isLong && grants(session, "admin.users.read"),
  });
  const servers = useQuery({
    queryKey: ["servers", "palette"],
    queryFn: () => body(api.GET("/api/servers", { params: { query: { per_page: 100 } } })),
    enabled: isLong && grants(session, "admin.servers.read"),
  });
  const pages = useQuery({
    queryKey: ["pages", "palette"],
    queryFn: () => body(api.GET("/api/cms-pages", { params: { query: { per_page: 100 } } })),
    enabled: isLong && grants(session, "admin.pages.read"),
  });
  const invoice = useQuery({
    queryKey: ["invoices", "palette", number],
    queryFn: () =>
      body(api.GET("/api/payment-invoices/{id}", { params: { path: { id: number ?? 0 } } })),
    enabled: number !== null && grants(session, "admin.payments.read"),
    retry: false,
  });

  if (query === "") {
    return [];
  }
  const matches = (text: string) => text.toLowerCase().includes(query.toLowerCase());
  const found: Found[] = [];
  if (invoice.data !== undefined) {
    const { id, user } = invoice.data.payment_invoice;
    found.push({
      group: t("shell.palette.invoices"),
      text: t("shell.palette.invoice", { id }),
      detail: user.name,
      path: `/invoices/${id}`,
      icon: ReceiptLongOutlined,
    });
  }
  for (const { id, username, email } of isLong ? (users.data?.users ?? []) : []) {
    found.push({
      group: t("shell.palette.users"),
      text: username,
      detail: email,
      path: `/users/${id}`,
      icon: PersonOutlined,
    });
  }
  const shownServers = (servers.data?.servers ?? []).filter(({ name }) => isLong && matches(name));
  for (const { id, name, ip, port } of shownServers.slice(0, SHOWN)) {
    found.push({
      group: t("shell.palette.servers"),
      text: name,
      detail: `${ip}:${port}`,
      path: `/servers/${id}`,
      icon: DnsOutlined,
    });
  }
  const shownPages = (pages.data?.pages ?? []).filter(({ title }) => isLong && matches(title));
  for (const { id, title, slug } of shownPages.slice(0, SHOWN)) {
    found.push({
      group: t("shell.palette.pages"),
      text: title,
      detail: `/${slug}`,
      path: `/pages/${id}`,
      icon: DescriptionOutlined,
    });
  }
  return found;
}
