import { Alert, Button, type ButtonProps, DialogContentText, TextField } from "@mui/material";
import { type ReactNode, useState } from "react";
import { useErrorText, useText } from "../i18n";
import { Modal } from "./Modal";

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
export function ConfirmDialog(props: Props) {
  const { title, children, confirm, danger, typed, onConfirm, onClose } = props;
  const t = useText();
  const errorText = useErrorText();
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
    <Modal
      title={title}
      onClose={onClose}
      actions={
        <>
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
        </>
      }
    >
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
    </Modal>
  );
}

interface ButtonOptions extends Omit<Props, "onClose"> {
  text: string;
  button?: ButtonProps;
}

/** A button that asks before it acts. */
export function ConfirmButton({ text, button, ...dialog }: ButtonOptions) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {text}
      </Button>
      {isOpen && <ConfirmDialog {...dialog} onClose={() => setOpen(false)} />}
    </>
  );
}
