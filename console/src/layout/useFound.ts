import type { SvgIconComponent } from "@mui/icons-material";
import PersonOutlined from "@mui/icons-material/PersonOutlined";
import { useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import { SHORTEST_SEARCH } from "../api/lists";
import { findPeople } from "../api/people";
import { RESOURCES, type ResourceName } from "../api/resources";
import { useRead } from "../api/useRead";
import { useDelayed } from "../components/useDelayed";
import { useText } from "../i18n";
import { queryOf } from "../pages/bans/subject";
import { grants, useSession } from "../session/session";
import { ICONS } from "./menu";

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

/** What the service has under these words: users, servers, pages, and an invoice by its number. */
export function useFound(typed: string): Found[] {
  const t = useText();
  const session = useSession();
  const query = useDelayed(typed, DELAY_MS);
  const isLong = query.length >= SHORTEST_SEARCH;
  const number = /^\d{1,15}$/.test(query) ? Number(query) : null;

  const users = useQuery({
    queryKey: ["users", "palette", query],
    queryFn: () => findPeople(query, SHOWN),
    enabled: isLong && grants(session, "admin.users.read"),
  });
  const all = { params: { query: { per_page: 100 } } };
  const servers = useRead(["servers", "palette"], () => api.GET("/api/servers", all), {
    enabled: isLong && grants(session, "admin.servers.read"),
  });
  const pages = useRead(["pages", "palette"], () => api.GET("/api/cms-pages", all), {
    enabled: isLong && grants(session, "admin.pages.read"),
  });
  const invoice = useRead(
    ["invoices", "palette", number],
    () => api.GET("/api/payment-invoices/{id}", { params: { path: { id: number ?? 0 } } }),
    { enabled: number !== null && grants(session, "admin.payments.read"), retry: false },
  );

  if (query === "") {
    return [];
  }
  const matches = (text: string) => isLong && text.toLowerCase().includes(query.toLowerCase());
  const found = (of: ResourceName, id: number, text: string, detail: string): Found => ({
    group: t(RESOURCES[of].title),
    text,
    detail,
    path: `/${of}/${id}`,
    icon: of === "users" ? PersonOutlined : ICONS[of],
  });
  const invoices = invoice.data === undefined ? [] : [invoice.data.payment_invoice];
  // A SteamID, an address and the name of a user also lead to their bans.
  const namesPlayer = queryOf(query) !== null || (isLong && (users.data ?? []).length > 0);
  const asksForBans = namesPlayer && grants(session, "admin.bans.read");
  const bans = asksForBans
    ? [
        {
          group: t("common.resources.bans"),
          text: t("bans.ofPlayer", { name: query }),
          path: `/bans?${new URLSearchParams({ q: query })}`,
          icon: ICONS.bans,
        },
      ]
    : [];
  return [
    ...invoices.map(({ id, user }) =>
      found("invoices", id, t("payments.invoices.one", { id }), user.name),
    ),
    ...(isLong ? (users.data ?? []) : []).map(({ id, username, email }) =>
      found("users", id, username, email),
    ),
    ...(servers.data?.servers ?? [])
      .filter(({ name }) => matches(name))
      .slice(0, SHOWN)
      .map(({ id, name, ip, port }) => found("servers", id, name, `${ip}:${port}`)),
    ...(pages.data?.pages ?? [])
      .filter(({ title }) => matches(title))
      .slice(0, SHOWN)
      .map(({ id, title, slug }) => found("pages", id, title, `/${slug}`)),
    ...bans,
  ];
}
