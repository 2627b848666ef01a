import Button from "@mui/material/Button";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import type { Key } from "./ApiKeyPage";

interface Props {
  apiKey: Key;
  /** Whether the person is signed in with it. */
  isOwn: boolean;
  lastUsedAt: string | null;
}

export function DeleteKey({ apiKey, isOwn, lastUsedAt }: Props) {
  const t = useText();
  const format = useFormat();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const { id, name } = apiKey;
  const remove = async () => {
    await request("DELETE", `/api/api-keys/${id}`, { ifMatch: apiKey[ETAG] });
    if (isOwn) {
      window.location.assign("/console/sign-in");
      return;
    }
    notify(t("common.deleted"), { type: "success" });
    void navigate("/api-keys");
    refresh();
  };
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        {t("apiKeys.delete")}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t("common.confirmDelete", { name })}
          confirm={t("common.delete")}
          danger
          typed={name}
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          <p>{t("apiKeys.deleteText")}</p>
          {lastUsedAt !== null && (
            <p>{t("apiKeys.deleteUsed", { when: format.relative(lastUsedAt) })}</p>
          )}
          {isOwn && <p>{t("apiKeys.deleteOwn")}</p>}
          <p>{t("common.cannotUndo")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
