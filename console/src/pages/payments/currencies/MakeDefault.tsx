import StarBorder from "@mui/icons-material/StarBorder";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { request, type Schemas } from "../../../api/client";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { useText } from "../../../i18n";

interface Props {
  currency: Schemas["CurrencyItem"];
  ifMatch?: string | undefined;
}

/** Makes a currency the default one. */
export function MakeDefault({ currency: { id, code }, ifMatch }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  const apply = async () => {
    await request("POST", `/api/currencies/${id}/default`, { ifMatch });
    notify(t("common.saved"), { type: "success" });
    refresh();
  };
  return (
    <>
      <Button
        startIcon={<StarBorder />}
        aria-label={t("payments.currencies.makeDefaultOf", { code })}
        onClick={(event) => {
          // The row of a list opens the currency otherwise.
          event.stopPropagation();
          setOpen(true);
        }}
      >
        {t("payments.currencies.makeDefault")}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t("payments.currencies.makeDefaultTitle", { code })}
          confirm={t("payments.currencies.makeDefault")}
          onConfirm={apply}
          onClose={() => setOpen(false)}
        >
          {t("payments.currencies.makeDefaultHint")}
        </ConfirmDialog>
      )}
    </>
  );
}
