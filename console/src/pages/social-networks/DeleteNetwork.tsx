import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";
import type { SocialNetwork } from "./types";

interface Props {
  network: SocialNetwork;
  onClose: () => void;
}

/** Deletes a network that no user has linked. The dialog explains a refusal. */
export function DeleteNetwork({ network, onClose }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={t("common.confirmDelete", { name: network.title })}
      confirm={t("common.delete")}
      danger
      onConfirm={async () => {
        await request("DELETE", `/api/social-networks/${network.id}`, { ifMatch: network[ETAG] });
        notify(t("common.deleted"), { type: "success" });
        await navigate("/social-networks");
        refresh();
      }}
      onClose={onClose}
    >
      {t("socialNetworks.deleteText")}
    </ConfirmDialog>
  );
}
