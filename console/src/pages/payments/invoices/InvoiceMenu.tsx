import MoreVert from "@mui/icons-material/MoreVert";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useState } from "react";
import { useText } from "../../../i18n";
import type { Invoice } from "./types";
import { useInvoiceActions } from "./useInvoiceActions";
import { useShownStatus } from "./useShownStatus";

/** The actions of one row of the list. */
export function InvoiceMenu({ invoice }: { invoice: Invoice }) {
  const t = useText();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { actions, dialog } = useInvoiceActions(invoice, useShownStatus()(invoice));
  return (
    // A click inside must not open the invoice, as one on the row does. Events of dialogs bubble
    // through here as well.
    <Box
      component="span"
      role="presentation"
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <IconButton
        size="small"
        aria-label={t("common.rowActions", { name: `#${invoice.id}` })}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <MoreVert fontSize="small" />
      </IconButton>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {actions.map(({ name, text, icon: Icon, run }) => (
          <MenuItem
            key={name}
            onClick={() => {
              setAnchor(null);
              run();
            }}
          >
            <ListItemIcon>
              <Icon fontSize="small" />
            </ListItemIcon>
            {text}
          </MenuItem>
        ))}
      </Menu>
      {dialog}
    </Box>
  );
}
