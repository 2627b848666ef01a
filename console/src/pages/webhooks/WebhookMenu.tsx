import MoreVert from "@mui/icons-material/MoreVert";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { DeleteDialog } from "../../components/DeleteDialog";
import { useText } from "../../i18n";
import { ReplayDialog } from "./ReplayDialog";
import { RotateDialog } from "./RotateDialog";
import type { Webhook } from "./types";

type Action = "rotate" | "replay" | "delete";

/** What is done with a webhook now and then. */
export function WebhookMenu({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [chosen, setChosen] = useState<Action | null>(null);
  const close = () => setChosen(null);
  const label = t("common.rowActions", { name: webhook.name });
  const open = (dialog: Action) => {
    setAnchor(null);
    setChosen(dialog);
  };
  return (
    <>
      <Tooltip title={t("common.more")}>
        <IconButton
          size="small"
          aria-label={label}
          aria-haspopup="menu"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <MoreVert />
        </IconButton>
      </Tooltip>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem onClick={() => open("rotate")}>{t("webhooks.rotate.open")}</MenuItem>
        <MenuItem onClick={() => open("replay")}>{t("webhooks.replay.open")}</MenuItem>
        <MenuItem onClick={() => open("delete")} sx={{ color: "error.main" }}>
          {t("common.delete")}
        </MenuItem>
      </Menu>
      {chosen === "rotate" && <RotateDialog webhook={webhook} onClose={close} />}
      {chosen === "replay" && <ReplayDialog webhook={webhook} onClose={close} />}
      {chosen === "delete" && (
        <DeleteDialog resource="webhooks" record={webhook} name={webhook.name} onClose={close}>
          {t("webhooks.deleteHint")}
        </DeleteDialog>
      )}
    </>
  );
}
