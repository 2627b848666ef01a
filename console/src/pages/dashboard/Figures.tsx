import { Box, Card } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import type { ComponentProps, ReactNode } from "react";
import { api, request } from "../../api/client";
import { listPath, RouteLink } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { Muted } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { countSince, PAGE_SIZE, type UserPage } from "./newUsers";
import { paidIn, useRevenue } from "./Revenue";
import { SERVERS_QUERY } from "./ServersPanel";
import { type Days, growth } from "../payments/period";
import type { Choice } from "./useChoice";

/** The numbers on top. */
export function Figures({ choice }: { choice: Choice }) {
  const canReadPayments = useCan("admin.payments.read");
  const canReadUsers = useCan("admin.users.read");
  const canReadServers = useCan("admin.servers.read");
  // Two in a row on phones, after the amount, which has one of its own.
  const paired = Number(canReadPayments) + 2 * Number(canReadUsers) + Number(canReadServers);
  const whole = { xs: "1 / -1", md: "auto" };
  return (
    <Box
      sx={{
        display: "grid",
        gap: 2,
        gridTemplateColumns: {
          xs: "repeat(2, minmax(0, 1fr))",
          md: "repeat(auto-fit, minmax(170px, 1fr))",
        },
        ...(canReadPayments && { "& > :first-of-type": { gridColumn: whole } }),
        ...(paired % 2 === 1 && { "& > :last-child": { gridColumn: whole } }),
      }}
    >
      {canReadPayments && <PaymentFigures choice={choice} />}
      {canReadUsers && <UserFigures choice={choice} />}
      {canReadServers && <PlayerFigure />}
    </Box>
  );
}

function PaymentFigures({ choice }: { choice: Choice }) {
  const t = useText();
  const format = useFormat();
  const revenue = useRevenue(choice.current, choice.previous, choice.currency);
  const { now, before, currency } = revenue.data ?? {};
  return (
    <>
      <Figure
        label={t("dashboard.paid")}
        to="/statistics"
        query={revenue}
        value={({ now }) => (currency ? format.money(paidIn(now), currency.code) : "0")}
        detail={
          now && before && <Growth now={Number(paidIn(now))} before={Number(paidIn(before))} />
        }
      />
      <Figure
        label={t("common.resources.payment_invoices")}
        to="/invoices"
        query={revenue}
        value={({ now }) => format.number(now.total_count)}
        detail={now && before && <Growth now={now.total_count} before={before.total_count} />}
      />
    </>
  );
}

function UserFigures({ choice }: { choice: Choice }) {
  const t = useText();
  const format = useFormat();
  const users = useNewUsers(choice.current, choice.previous);
  const blocked = useQuery({
    queryKey: ["users", "dashboard", "blocked"],
    queryFn: () => total("/api/users", { status: "blocked" }),
  });
  return (
    <>
      <Figure
        label={t("dashboard.newUsers")}
        to={`/users?${new URLSearchParams({ sort: "created_at", order: "DESC" })}`}
        query={users}
        value={({ now }) => format.number(now)}
        detail={users.data && <Growth now={users.data.now} before={users.data.before} />}
      />
      <Figure
        label={t("dashboard.blockedUsers")}
        to={listPath("users", { status: "blocked" })}
        query={blocked}
        value={(count) => format.number(count)}
        detail={users.data && t("dashboard.ofUsers", { number: format.number(users.data.total) })}
      />
    </>
  );
}

function PlayerFigure() {
  const t = useText();
  const format = useFormat();
  const servers = useQuery(SERVERS_QUERY);
  const enabled = (servers.data ?? []).filter(({ server }) => server.enabled);
  const online = enabled.filter(({ live }) => live?.reachable === true);
  return (
    <Figure
      label={t("dashboard.players")}
      to="/servers"
      query={servers}
      value={() =>
        format.number(online.reduce((sum, { live }) => sum + (live?.players_online ?? 0), 0))
      }
      detail={
        servers.data &&
        (enabled.length === 0
          ? t("dashboard.serversOff")
          : t("dashboard.serversOnline", { online: online.length, all: enabled.length }))
      }
    />
  );
}

/** How a number compares with that of the period before. */
function Growth({ now, before }: { now: number; before: number }) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  const part = growth(now, before);
  if (part === null) {
    return t("dashboard.noneBefore");
  }
  const share = format.number(part, {
    style: "percent",
    maximumFractionDigits: Math.abs(part) < 0.1 ? 1 : 0,
    signDisplay: "exceptZero",
  });
  const colour = part === 0 ? tokens.muted : part > 0 ? tokens.good : tokens.bad;
  return (
    <>
      <Box component="span" sx={{ color: colour, fontWeight: 600 }}>
        {share}
      </Box>{" "}
      {t("dashboard.thanBefore")}
    </>
  );
}

/** How many users were created in a period and in the one before, and how many there are. */
function useNewUsers(current: Days, previous: Days) {
  return useQuery({
    queryKey: ["users", "dashboard", "new", current.from, previous.from],
    queryFn: async () => {
      const pages = new Map<number, Promise<UserPage>>();
      const read = (page: number) => {
        const known = pages.get(page) ?? readPage(page);
        pages.set(page, known);
        return known;
      };
      const since = ({ from }: Days) => countSince(`${from}T00:00:00Z`, read);
      const [now, both] = await Promise.all([since(current), since(previous)]);
      return { now, before: both - now, total: (await read(1)).total };
    },
    enabled: useCan("admin.users.read"),
  });
}

async function readPage(page: number): Promise<UserPage> {
  const { data, response } = await api.GET("/api/users", {
    params: { query: { sort: "-id", page, per_page: PAGE_SIZE } },
  });
  return {
    created: (data?.users ?? []).map(({ created_at }) => created_at),
    total: Number(response.headers.get("X-Total-Count") ?? 0),
  };
}

interface Props<T> {
  label: string;
  query: ComponentProps<typeof Loaded<T>>["query"];
  /** What there is to know, such as a number. */
  value: (data: T) => string;
  /** A line below it. */
  detail?: ReactNode;
  /** The page that shows more. */
  to: string;
}

/** One number that matters, in large type. */
function Figure<T>({ label, query, value, detail, to }: Props<T>) {
  return (
    <Card sx={{ px: 2.5, py: 2, containerType: "inline-size" }}>
      <Muted>
        <RouteLink to={to} color="inherit">
          {label}
        </RouteLink>
      </Muted>
      <Box sx={{ fontWeight: 650, lineHeight: "36px", minHeight: 36, whiteSpace: "nowrap" }}>
        <Loaded query={query} height={36}>
          {(data) => <Fitted text={value(data)} />}
        </Loaded>
      </Box>
      <Muted sx={{ minHeight: 21 }}>{detail}</Muted>
    </Card>
  );
}

/** The width of a character of the figures, in parts of its height. */
const CHARACTER = 0.62;

/** A figure in large type, or as large as its card has room for. */
function Fitted({ text }: { text: string }) {
  const widest = 100 / (text.length * CHARACTER);
  return (
    <Box component="span" sx={{ fontSize: `min(1.625rem, ${widest.toFixed(1)}cqi)` }}>
      {text}
    </Box>
  );
}

/** How many records a list has. Asks for one of them only, so it is cheap however many there are. */
export async function total(path: string, query: Record<string, string> = {}): Promise<number> {
  const reply = await request("GET", `${path}?${new URLSearchParams({ ...query, per_page: "1" })}`);
  return Number(reply.headers.get("X-Total-Count") ?? 0);
}
