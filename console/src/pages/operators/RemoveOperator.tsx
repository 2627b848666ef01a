import Button from "@mui/material/Button";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import type { Operator } from "./operator";

/** Takes the access to the console away. */
export function RemoveOperator({ operator, isSelf }: { operator: Operator; isSelf: boolean }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { id, username, permissions } = operator;
  const remove = async () => {
    await request("DELETE", `/api/operators/${id}`, { ifMatch: operator[ETAG] });
    if (isSelf) {
      window.location.assign("/console/sign-in");
      return;
    }
    notify(t("operators.removed"), { type: "success" });
    void navigate("/operators");
    refresh();
  };
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        {t("operators.remove")}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t("operators.removeTitle", { name: username })}
          confirm={t("operators.remove")}
          danger
          {...(isSelf && { typed: username })}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          <p>{t("operators.removeText", { smart_count: permissions.length })}</p>
          {isSelf && <p>{t("operators.removeSelf")}</p>}
        </ConfirmDialog>
      )}
    </>
  );
}
