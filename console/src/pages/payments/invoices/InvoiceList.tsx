import AddIcon from "@mui/icons-material/Add";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import { DataTable, useListContext } from "react-admin";
import { Link } from "react-router";
import { EmptyState } from "../../../components/EmptyState";
import { ExportButton } from "../../../components/ExportButton";
import { ListPage } from "../../../components/list/ListPage";
import { Money } from "../../../components/Money";
import { When } from "../../../components/When";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useGatewayName } from "../choices";
import { AmountCell, PromoCodeCell, StatusCell, UserName } from "./cells";
import { InvoiceFilters } from "./InvoiceFilters";
import { InvoiceMenu } from "./InvoiceMenu";
import { InvoiceTotals } from "./InvoiceTotals";
import type { Invoice } from "./types";

const Column = DataTable.Col<Invoice>;

export function InvoiceList() {
  const t = useText();
  const canWrite = useCan("admin.payments");
  const gatewayName = useGatewayName();
  const add = canWrite && (
    <Button variant="contained" startIcon={<AddIcon />} component={Link} to="/invoices/create">
      {t("payments.invoices.new")}
    </Button>
  );
  return (
    <ListPage<Invoice>
      resource="invoices"
      title={t("payments.invoices.title")}
      sort={{ field: "created_at", order: "DESC" }}
      actions={
        <>
          <ExportShown />
          {add}
        </>
      }
      filters={<InvoiceFilters />}
      summary={<InvoiceTotals />}
      empty={
        <EmptyState
          icon={ReceiptLongOutlined}
          title={t("payments.invoices.emptyTitle")}
          text={t("payments.invoices.emptyText")}
          action={add}
        />
      }
      card={(invoice) => ({
        title: (
          <>
            <Money amount={invoice.amount} currency={invoice.currency} />
            {" · "}
            <UserName invoice={invoice} />
          </>
        ),
        detail: (
          <>
            #{invoice.id} · {gatewayName(invoice.gateway)} · <When at={invoice.created_at} />
          </>
        ),
        aside: <StatusCell invoice={invoice} />,
      })}
    >
      <Column source="id" label={t("payments.invoices.number")} />
      <Column
        source="user_id"
        label={t("payments.user")}
        disableSort
        render={(invoice) => <UserName invoice={invoice} />}
      />
      <Column
        source="amount"
        label={t("payments.amount.label")}
        align="right"
        render={(invoice) => <AmountCell invoice={invoice} />}
      />
      <Column
        source="is_paid"
        label={t("payments.state")}
        disableSort
        render={(invoice) => <StatusCell invoice={invoice} />}
      />
      <Column
        source="gateway"
        label={t("payments.gateway")}
        disableSort
        render={({ gateway }) => gatewayName(gateway)}
      />
      <Column
        source="promo_code"
        label={t("payments.promoCode")}
        disableSort
        render={(invoice) => <PromoCodeCell invoice={invoice} />}
      />
      <Column
        source="created_at"
        label={t("common.createdAt")}
        render={({ created_at: at }) => <When at={at} />}
      />
      {canWrite && (
        <Column
          label={t("common.actions")}
          align="right"
          render={(invoice) => <InvoiceMenu invoice={invoice} />}
        />
      )}
    </ListPage>
  );
}

/** Exports what the filters leave, in the order that is shown. */
function ExportShown() {
  const { filterValues, sort } = useListContext();
  const order = (sort.order === "DESC" ? "-" : "") + sort.field;
  return (
    <ExportButton
      path="/api/payment-invoices/export"
      query={{ ...(filterValues as Record<string, string>), sort: order }}
      name="invoices"
    />
  );
}
