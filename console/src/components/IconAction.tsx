import type { SvgIconComponent } from "@mui/icons-material";
import MoreVert from "@mui/icons-material/MoreVert";
import {
  Box,
  IconButton,
  type IconButtonProps,
  ListItemIcon,
  Menu,
  MenuItem,
  Tooltip,
} from "@mui/material";
import { type ReactNode, useState } from "react";
import { useText } from "../i18n";

interface Props extends IconButtonProps {
  icon: SvgIconComponent;
  tip: string;
  /** What the button is called where the tip does not say what it is about. */
  label?: string;
}

/** A button that is an icon, with a tooltip. */
export function IconAction({ icon: Icon, tip, label = tip, ...button }: Props) {
  return (
    <Tooltip title={button.disabled === true ? "" : tip}>
      <IconButton aria-label={label} {...button}>
        <Icon fontSize="small" />
      </IconButton>
    </Tooltip>
  );
}

export interface Action {
  text: string;
  icon?: SvgIconComponent;
  /** What destroys something is red. */
  danger?: boolean;
  disabled?: boolean;
  /** Whether a line follows. */
  divider?: boolean;
  run: () => void;
}

interface MenuProps {
  /** Three dots, unless it is another one. */
  icon?: SvgIconComponent;
  /** What the actions are for. */
  name: string;
  actions: Action[];
  tabIndex?: number;
  /** The dialogs of the actions. */
  children?: ReactNode;
}

/** A button that opens a menu of actions. */
export function ActionMenu(props: MenuProps) {
  const { icon = MoreVert, name, actions, tabIndex = 0, children } = props;
  const t = useText();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    // A click inside must not open the row around it. Events of the menu and of dialogs bubble
    // through here as well.
    <Box
      component="span"
      role="presentation"
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <IconAction
        icon={icon}
        tip={t("common.more")}
        label={t("common.rowActions", { name })}
        size="small"
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      />
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {actions.map(({ text, icon: Icon, danger, disabled, divider, run }) => (
          <MenuItem
            key={text}
            disabled={disabled === true}
            divider={divider === true}
            sx={danger === true ? { color: "error.main" } : {}}
            onClick={() => {
              setAnchor(null);
              run();
            }}
          >
            {Icon !== undefined && (
              <ListItemIcon>
                <Icon fontSize="small" />
              </ListItemIcon>
            )}
            {text}
          </MenuItem>
        ))}
      </Menu>
      {children}
    </Box>
  );
}
