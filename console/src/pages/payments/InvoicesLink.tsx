import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import Button from "@mui/material/Button";
import { Link } from "react-router";
import { useText } from "../../i18n";

/** Leads to the invoices that belong to something. */
export function InvoicesLink({ to }: { to: string }) {
  const t = useText();
  return (
    <Button variant="outlined" startIcon={<ReceiptLongOutlined />} component={Link} to={to}>
      {t("payments.showInvoices")}
    </Button>
  );
}
