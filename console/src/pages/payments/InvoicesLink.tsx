import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import { DeleteButton, type DeleteProps } from "../../components/DeleteDialog";
import { RouteButton, RouteLink } from "../../components/links";
import { useText } from "../../i18n";

/** Leads to the invoices that belong to something. */
export function InvoicesLink({ to }: { to: string }) {
  const t = useText();
  return (
    <RouteButton variant="outlined" startIcon={<ReceiptLongOutlined />} to={to}>
      {t("payments.showInvoices")}
    </RouteButton>
  );
}

/** Deletes a record that invoices may refer to. If they do, it leads to them. */
export function DeleteWithInvoices({ invoices, ...props }: DeleteProps & { invoices: string }) {
  const t = useText();
  return (
    <DeleteButton
      {...props}
      obstacle={
        <RouteLink to={invoices} sx={{ display: "block", mt: 2 }}>
          {t("payments.showInvoices")}
        </RouteLink>
      }
    />
  );
}
