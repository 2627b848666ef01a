import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { DeleteButton } from "../../components/DeleteButton";
import type { DeleteProps } from "../../components/DeleteDialog";
import { useText } from "../../i18n";

/** Deletes a record that invoices may refer to. If they do, it leads to them. */
export function DeleteWithInvoices({ invoices, ...props }: DeleteProps & { invoices: string }) {
  const t = useText();
  return (
    <DeleteButton
      {...props}
      obstacle={
        <Link component={RouterLink} to={invoices} sx={{ display: "block", mt: 2 }}>
          {t("payments.showInvoices")}
        </Link>
      }
    />
  );
}
