import MoreVert from "@mui/icons-material/MoreVert";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useText } from "../../i18n";
import { DeleteWebhook } from "./DeleteWebhook";
import { ReplayDialog } from "./ReplayDialog";
import { RotateDialog } from "./RotateDialog";
import type { Webhook } from "./types";

const DIALOGS = { rotate: RotateDialog, replay: ReplayDialog, delete: DeleteWebhook };

/** What is done with a webhook now and then. */
export function WebhookMenu({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [chosen, setChosen] = useState<keyof typeof DIALOGS | null>(null);
  const Dialog = chosen === null ? null : DIALOGS[chosen];
  const label = t("common.rowActions", { name: webhook.name });
  const open = (dialog: keyof typeof DIALOGS) => {
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
      {Dialog !== null && <Dialog webhook={webhook} onClose={() => setChosen(null)} />}
    </>
  );
}
