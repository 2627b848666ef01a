import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import type { Webhook } from "./types";

export function DeleteWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const remove = async () => {
    await request("DELETE", `/api/webhooks/${webhook.id}`, {
      ifMatch: webhook[ETAG] as string | undefined,
    });
    await navigate("/webhooks");
    refresh();
    notify(t("common.deleted"), { type: "success" });
  };
  return (
    <ConfirmDialog
      danger
      title={t("common.confirmDelete", { name: webhook.name })}
      confirm={t("common.delete")}
      onConfirm={remove}
      onClose={onClose}
    >
      {t("webhooks.deleteHint")}
    </ConfirmDialog>
  );
}
