import Close from "@mui/icons-material/Close";
import Dialog from "@mui/material/Dialog";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import IconButton from "@mui/material/IconButton";
import useMediaQuery from "@mui/material/useMediaQuery";
import { createContext, type ReactNode, useContext, useEffect, useId, useState } from "react";
import { useFormState } from "react-hook-form";
import { useText } from "../../i18n";

const Report = createContext<(isDirty: boolean) => void>(() => undefined);

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog around a form. Escape or a click beside it do not lose what was typed. */
export function ItemDialog({ title, onClose, children }: Props) {
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
        <Report value={setDirty}>{children}</Report>
      </DialogContent>
    </Dialog>
  );
}

/** Tells the dialog whether something was typed. Rendered inside the form, which knows it. */
export function DirtyReport() {
  const report = useContext(Report);
  const { isDirty } = useFormState();
  useEffect(() => report(isDirty), [isDirty, report]);
  return null;
}
