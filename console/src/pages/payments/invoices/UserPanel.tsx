import Link from "@mui/material/Link";
import { Link as RouterLink } from "react-router";
import { Facts } from "../../../components/Facts";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";

import { invoicesPath } from "../links";
import type { InvoiceRecord } from "./types";

/** Whose invoice it is. */
export function UserPanel({ invoice: { user } }: { invoice: InvoiceRecord }) {
  const t = useText();
  const canRead = useCan("admin.users.read");
  const name = canRead ? (
    <Link component={RouterLink} to={`/users/${user.id}`}>
      {user.name}
    </Link>
  ) : (
    user.name
  );
  return (
    <Panel title={t("payments.user")}>
      <Facts
        facts={[
          { label: t("payments.invoices.userName"), value: name },
          { label: t("payments.invoices.email"), value: user.email },
        ]}
      />
      <Link
        variant="body2"
        component={RouterLink}
        to={invoicesPath({ user_id: user.id })}
        sx={{ display: "inline-block", mt: 2 }}
      >
        {t("payments.invoices.ofUser")}
      </Link>
    </Panel>
  );
}
