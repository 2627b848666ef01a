import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogContentText from "@mui/material/DialogContentText";
import DialogTitle from "@mui/material/DialogTitle";
import { useId } from "react";
import { ETAG } from "../../api/dataProvider";
import { DeleteDialog } from "../../components/DeleteDialog";
import { useText } from "../../i18n";
import type { Entry } from "./tree";

interface Props {
  entry: Entry;
  /** The items below it. */
  below: Entry[];
  onClose: () => void;
}

/** Deletes an item, or says why that is not possible. */
export function DeleteItem({ entry, below, onClose }: Props) {
  const t = useText();
  if (below.length > 0) {
    return <Refusal entry={entry} below={below} onClose={onClose} />;
  }
  return (
    <DeleteDialog
      resource="navigation"
      record={{ id: entry.id, [ETAG]: entry.tag }}
      name={entry.title}
      onClose={onClose}
    >
      {t("navigation.deleteWarning")} {t("common.cannotUndo")}
    </DeleteDialog>
  );
}

/** The service refuses to delete an item with others below it, so this is not offered. */
function Refusal({ entry, below, onClose }: Props) {
  const t = useText();
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <DialogTitle id={id}>{t("navigation.cannotDelete", { name: entry.title })}</DialogTitle>
      <DialogContent>
        <DialogContentText component="div">
          {t("errors.codes.has_children")}
          <ul>
            {below.map(({ id: child, title }) => (
              <li key={child}>{title}</li>
            ))}
          </ul>
        </DialogContentText>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t("common.close")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
