import { Button, Stack } from "@mui/material";
import { DataTable, useListContext } from "react-admin";
import { useNavigate } from "react-router";
import { ExportButton } from "../../../components/ExportButton";
import { ListPage, UnsortedColumn } from "../../../components/list/ListPage";
import { recordPage } from "../../../components/recordPage";
import { Columns, Page } from "../../../components/Page";
import { Money, Moment } from "../../../components/text";
import { useFormat, useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useGatewayName } from "../choices";
import { type Invoice, type InvoiceRecord, useStatusOf } from "./invoice";
import {
  AmountCell,
  InvoiceMenu,
  InvoiceState,
  PromoCodeCell,
  StatusCell,
  UserName,
} from "./InvoiceCells";
import { InvoiceFilters, InvoiceTotals } from "./InvoiceFilters";
import { ProductPanel } from "./ProductPanel";
import { AmountPanel, HistoryPanel, PaymentPanel, UserPanel } from "./InvoicePanels";
import { useInvoiceActions } from "./useInvoiceActions";

export { InvoiceCreate } from "./InvoiceCreate";

const Column = UnsortedColumn<Invoice>;
const SortedColumn = DataTable.Col<Invoice>;

export function InvoiceList() {
  const t = useText();
  const canWrite = useCan("admin.payments");
  const gatewayName = useGatewayName();
  return (
    <ListPage<Invoice>
      resource="invoices"
      sort={{ field: "created_at", order: "DESC" }}
      actions={<ExportShown />}
      filters={<InvoiceFilters />}
      summary={<InvoiceTotals />}
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
            #{invoice.id} · {gatewayName(invoice.gateway)} · <Moment at={invoice.created_at} />
          </>
        ),
        aside: <StatusCell invoice={invoice} />,
      })}
    >
      <SortedColumn source="id" label={t("payments.invoices.number")} />
      <Column
        source="user_id"
        label={t("common.user")}
        render={(invoice) => <UserName invoice={invoice} />}
      />
      <SortedColumn
        source="amount"
        label={t("payments.amount.label")}
        align="right"
        render={(invoice) => <AmountCell invoice={invoice} />}
      />
      <Column
        source="is_paid"
        label={t("common.state")}
        render={(invoice) => <StatusCell invoice={invoice} />}
      />
      <Column
        source="gateway"
        label={t("payments.gateway")}
        render={({ gateway }) => gatewayName(gateway)}
      />
      <Column
        source="promo_code"
        label={t("payments.promoCode")}
        render={(invoice) => <PromoCodeCell invoice={invoice} />}
      />
      <SortedColumn
        source="created_at"
        label={t("common.createdAt")}
        render={({ created_at: at }) => <Moment at={at} />}
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

export const InvoicePage = recordPage("invoices", One);

function One({ record: invoice }: { record: InvoiceRecord }) {
  const t = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const canWrite = useCan("admin.payments");
  const canReadAudit = useCan("admin.audit.read");
  const status = useStatusOf([invoice], { user_id: invoice.user_id })(invoice);
  const { actions, dialog } = useInvoiceActions(invoice, status, () => void navigate("/invoices"));
  return (
    <Page
      title={t("payments.invoices.one", { id: invoice.id })}
      badge={<InvoiceState status={status} />}
      subtitle={format.moment(invoice.created_at)}
      back="invoices"
      actions={
        canWrite &&
        actions.map(({ text, icon: Icon, main, danger, run }) => (
          <Button
            key={text}
            variant={main ? "contained" : "outlined"}
            color={danger ? "error" : "primary"}
            startIcon={<Icon />}
            onClick={run}
          >
            {text}
          </Button>
        ))
      }
    >
      <Columns widths="minmax(0, 3fr) minmax(0, 2fr)" from="md">
        <Stack sx={{ gap: 2.5 }}>
          <AmountPanel invoice={invoice} />
          <ProductPanel invoice={invoice} />
          <PaymentPanel invoice={invoice} />
        </Stack>
        <Stack sx={{ gap: 2.5 }}>
          <UserPanel invoice={invoice} />
          {canReadAudit && <HistoryPanel invoice={invoice} />}
        </Stack>
      </Columns>
      {dialog}
    </Page>
  );
}
