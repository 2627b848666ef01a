import Close from "@mui/icons-material/Close";
import { Dialog, DialogContent, DialogTitle, IconButton, useMediaQuery } from "@mui/material";
import { type ReactNode, useId, useState } from "react";
import { useText } from "../../i18n";
import { DirtyContext } from "./GuardedForm";

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog around the form of a record. Escape or a click beside it do not lose what was typed. */
export function RecordDialog({ title, onClose, children }: Props) {
  const t = useText();
  const id = useId();
  const isNarrow = useMediaQuery("(max-width: 700px)");
  const [isDirty, setDirty] = useState(false);
  return (
    <Dialog
      open
      onClose={() => !isDirty && onClose()}
      aria-labelledby={id}
      maxWidth="sm"
      fullWidth
      fullScreen={isNarrow}
    >
      <DialogTitle id={id} sx={{ pr: 7 }}>
        {title}
      </DialogTitle>
      <IconButton
        aria-label={t("common.close")}
        onClick={onClose}
        sx={{ position: "absolute", right: 12, top: 12 }}
      >
        <Close />
      </IconButton>
      <DialogContent sx={{ "&&": { pt: 1 } }}>
        <DirtyContext value={setDirty}>{children}</DirtyContext>
      </DialogContent>
    </Dialog>
  );
}
