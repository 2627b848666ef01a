import { Box } from "@mui/material";
import { api } from "../../../api/client";
import { useRead } from "../../../api/useRead";
import { Facts } from "../../../components/Facts";
import { RouteLink } from "../../../components/links";
import { Loaded } from "../../../components/Loaded";
import { Panel } from "../../../components/Page";
import { Muted } from "../../../components/text";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useServerName } from "../choices";
import { GrantStateChip, GrantView, UserName } from "../grants/GrantView";
import { refreshOf } from "../grants/useGrants";
import type { InvoiceRecord } from "./invoice";

/** What an invoice is for, who gets it, and how far that is. */
export function ProductPanel({ invoice }: { invoice: InvoiceRecord }) {
  const t = useText();
  const serverName = useServerName();
  const mayRead = useCan("admin.products.read");
  const { product, recipient_id: recipient, server_id: server, grant } = invoice;
  if (product === null || product === undefined) {
    return null;
  }
  return (
    <Panel title={t("grants.product")}>
      <Facts
        facts={[
          {
            label: t("common.name"),
            value: mayRead ? (
              <RouteLink to={`/products/${product.id}`}>{product.name}</RouteLink>
            ) : (
              product.name
            ),
          },
          ...(typeof recipient === "number"
            ? [
                {
                  label: t("payments.invoices.recipient"),
                  value: <UserName id={recipient} />,
                },
              ]
            : []),
          ...(typeof server === "number"
            ? [{ label: t("grants.server"), value: serverName(server) }]
            : []),
        ]}
      />
      <Box sx={{ mt: 2 }}>
        {grant === null || grant === undefined ? (
          <Muted>{t("payments.invoices.notGiven")}</Muted>
        ) : mayRead ? (
          <InvoiceGrant id={grant.id} />
        ) : (
          <GrantStateChip state={grant.state} />
        )}
      </Box>
    </Panel>
  );
}

/** The grant of an invoice, with its steps. */
function InvoiceGrant({ id }: { id: number }) {
  const query = useRead(
    ["grants", id],
    () => api.GET("/api/grants/{id}", { params: { path: { id } } }),
    { refetchInterval: ({ state }) => refreshOf(state.data && [state.data.grant]) },
  );
  return (
    <Loaded query={query} height={120}>
      {({ grant }) => <GrantView grant={grant} on="invoice" />}
    </Loaded>
  );
}
