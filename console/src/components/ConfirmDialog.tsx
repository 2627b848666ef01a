import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogContentText from "@mui/material/DialogContentText";
import DialogTitle from "@mui/material/DialogTitle";
import TextField from "@mui/material/TextField";
import { type ReactNode, useId, useState } from "react";
import { useText } from "../i18n";
import { useErrorText } from "../i18n/describe";

interface Props {
  title: string;
  /** What will happen, and what will be lost. */
  children: ReactNode;
  confirm: string;
  /** Destructive actions are red. */
  danger?: boolean;
  /** A word to type, for what cannot be undone and matters. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before an action, and shows why it was refused. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  danger,
  typed,
  onConfirm,
  onClose,
}: Props) {
  const t = useText();
  const errorText = useErrorText();
  const id = useId();
  const [word, setWord] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);

  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText component="div">{children}</DialogContentText>
        {typed !== undefined && (
          <TextField
            autoFocus
            fullWidth
            sx={{ mt: 2 }}
            label={t("common.typeToConfirm", { name: typed })}
            value={word}
            onChange={(event) => setWord(event.target.value)}
          />
        )}
        {error !== null && (
          <Alert severity="error" sx={{ mt: 2 }}>
            {errorText(error)}
          </Alert>
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button
          variant="contained"
          color={danger === true ? "error" : "primary"}
          disabled={isBusy || (typed !== undefined && word !== typed)}
          loading={isBusy}
          onClick={() => void run()}
        >
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
