import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { Facts } from "../../components/Facts";
import { Panel } from "../../components/Panel";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import type { Operator } from "./operator";
import { TwoFactorState } from "./OperatorState";

/** How an operator signs in, and help if they lost their second factor. */
export function SignInPanel({ operator, mayReset }: { operator: Operator; mayReset: boolean }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  const reset = async () => {
    const path = `/api/operators/${operator.id}/reset-two-factor`;
    await request("POST", path, { ifMatch: operator[ETAG] });
    notify(t("operators.resetDone"), { type: "success" });
    refresh();
  };
  return (
    <Panel title={t("operators.security")}>
      <Stack sx={{ gap: 2, alignItems: "stretch" }}>
        <Facts
          facts={[
            {
              label: t("operators.twoFactor"),
              value: <TwoFactorState isOn={operator.two_factor} />,
            },
            { label: t("operators.lastSignIn"), value: <When at={operator.last_sign_in_at} /> },
            { label: t("operators.since"), value: <When at={operator.created_at} /> },
          ]}
        />
        {mayReset && operator.two_factor && (
          <Button color="error" variant="outlined" onClick={() => setOpen(true)}>
            {t("operators.resetFactor")}
          </Button>
        )}
      </Stack>
      {isOpen && (
        <ConfirmDialog
          title={t("operators.resetTitle", { name: operator.username })}
          confirm={t("operators.resetConfirm")}
          danger
          onConfirm={reset}
          onClose={() => setOpen(false)}
        >
          {t("operators.resetText")}
        </ConfirmDialog>
      )}
    </Panel>
  );
}
