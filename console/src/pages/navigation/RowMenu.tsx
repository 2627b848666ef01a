import MoreVert from "@mui/icons-material/MoreVert";
import Divider from "@mui/material/Divider";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { type MouseEvent, useState } from "react";
import { useText } from "../../i18n";
import type { Entry, Step } from "./tree";

const STEPS: Step[] = ["up", "down", "in", "out"];

interface Props {
  entry: Entry;
  /** Only the row that has the focus adds a stop for the Tab key. */
  isReachable: boolean;
  canStep: (step: Step) => boolean;
  onStep: (step: Step) => void;
  onEdit: () => void;
  onAdd: () => void;
  onDelete: () => void;
}

/** What can be done with an item. On touch screens it also replaces drag and drop. */
export function RowMenu({ entry, isReachable, canStep, onStep, onEdit, onAdd, onDelete }: Props) {
  const t = useText();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const choose = (action: () => void) => (event: MouseEvent) => {
    event.stopPropagation();
    setAnchor(null);
    action();
  };
  return (
    <>
      <IconButton
        size="small"
        tabIndex={isReachable ? 0 : -1}
        aria-haspopup="menu"
        aria-label={t("common.rowActions", { name: entry.title })}
        onClick={(event) => {
          event.stopPropagation();
          setAnchor(event.currentTarget);
        }}
      >
        <MoreVert fontSize="small" />
      </IconButton>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        // A menu is no part of the row, although React passes its events on to it.
        onClick={(event) => event.stopPropagation()}
        onClose={() => setAnchor(null)}
      >
        <MenuItem onClick={choose(onEdit)}>{t("common.edit")}</MenuItem>
        <MenuItem onClick={choose(onAdd)}>{t("navigation.addBelow")}</MenuItem>
        <Divider />
        {STEPS.map((step) => (
          <MenuItem key={step} disabled={!canStep(step)} onClick={choose(() => onStep(step))}>
            {t(`navigation.steps.${step}`)}
          </MenuItem>
        ))}
        <Divider />
        <MenuItem onClick={choose(onDelete)} sx={{ color: "error.main" }}>
          {t("common.delete")}
        </MenuItem>
      </Menu>
    </>
  );
}
