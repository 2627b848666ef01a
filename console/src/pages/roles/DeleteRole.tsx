import Button from "@mui/material/Button";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { request } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import { useMembers } from "./useMembers";

interface Props {
  id: number;
  name: string;
  etag: string | undefined;
}

export function DeleteRole({ id, name, etag }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { data: members } = useMembers(id);
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    await request("DELETE", `/api/roles/${id}`, { ifMatch: etag });
    notify(t("common.deleted"), { type: "success" });
    void navigate("/roles");
    refresh();
  };
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        {t("roles.delete")}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t("common.confirmDelete", { name })}
          confirm={t("common.delete")}
          danger
          onConfirm={remove}
          onClose={() => setOpen(false)}
        >
          {members !== undefined && members.total > 0 && (
            <p>{t("roles.losesMembers", { smart_count: members.total })}</p>
          )}
          <p>{t("roles.losesPermissions")}</p>
          <p>{t("roles.losesNavigation")}</p>
          <p>{t("common.cannotUndo")}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
