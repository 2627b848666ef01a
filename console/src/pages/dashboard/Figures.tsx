import Box from "@mui/material/Box";
import { useQuery } from "@tanstack/react-query";
import { total } from "../../api/total";
import { Figure } from "../../components/Figure";
import { Loaded } from "../../components/Loaded";
import { Money } from "../../components/Money";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { useCan } from "../../session/session";
import { Growth } from "./Growth";
import type { Choice } from "./useChoice";
import { SERVERS_QUERY } from "./servers";
import { useNewUsers } from "./useNewUsers";
import { useRevenue } from "./useRevenue";

/** The numbers on top. */
export function Figures({ choice }: { choice: Choice }) {
  const canReadPayments = useCan("admin.payments.read");
  const canReadUsers = useCan("admin.users.read");
  const canReadServers = useCan("admin.servers.read");
  return (
    <Box
      sx={{
        display: "grid",
        gap: 2,
        gridTemplateColumns: {
          xs: "repeat(2, minmax(0, 1fr))",
          md: "repeat(auto-fit, minmax(170px, 1fr))",
        },
        "& > :last-child:nth-of-type(odd)": { gridColumn: { xs: "span 2", md: "auto" } },
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
        detail={
          now && before && <Growth now={now.completed_amount} before={before.completed_amount} />
        }
      >
        <Loaded query={revenue} height={36}>
          {({ now }) =>
            currency ? <Money amount={now.completed_amount} currency={currency.code} /> : "0"
          }
        </Loaded>
      </Figure>
      <Figure
        label={t("dashboard.invoices")}
        to="/invoices"
        detail={now && before && <Growth now={now.total_count} before={before.total_count} />}
      >
        <Loaded query={revenue} height={36}>
          {({ now }) => format.number(now.total_count)}
        </Loaded>
      </Figure>
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
        detail={users.data && <Growth now={users.data.now} before={users.data.before} />}
      >
        <Loaded query={users} height={36}>
          {({ now }) => format.number(now)}
        </Loaded>
      </Figure>
      <Figure
        label={t("dashboard.blockedUsers")}
        to={`/users?${new URLSearchParams({ filter: JSON.stringify({ status: "blocked" }) })}`}
        detail={users.data && t("dashboard.ofUsers", { number: format.number(users.data.total) })}
      >
        <Loaded query={blocked} height={36}>
          {(count) => format.number(count)}
        </Loaded>
      </Figure>
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
      detail={
        servers.data &&
        (enabled.length === 0
          ? t("dashboard.serversOff")
          : t("dashboard.serversOnline", { online: online.length, all: enabled.length }))
      }
    >
      <Loaded query={servers} height={36}>
        {() =>
          format.number(online.reduce((sum, { live }) => sum + (live?.players_online ?? 0), 0))
        }
      </Loaded>
    </Figure>
  );
}
