import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import type { Server } from "./types";

export function DeleteServer({ server, onClose }: { server: Server; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const remove = async () => {
    await request("DELETE", `/api/servers/${server.id}`, {
      ifMatch: server[ETAG] as string | undefined,
    });
    await navigate("/servers");
    refresh();
    notify(t("common.deleted"), { type: "success" });
  };
  return (
    <ConfirmDialog
      danger
      title={t("common.confirmDelete", { name: server.name })}
      confirm={t("common.delete")}
      onConfirm={remove}
      onClose={onClose}
    >
      {t("servers.deleteHint")}
    </ConfirmDialog>
  );
}
