import {
  Alert,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Stack,
} from "@mui/material";
import { type ReactNode, useId, useState } from "react";
import { useFormState } from "react-hook-form";
import { useText } from "../../i18n";
import type { Values } from "./conflict";
import { GuardedForm } from "./GuardedForm";
import { useFormErrors } from "./useFormErrors";

interface Props {
  title: string;
  /** The names of the inputs. Faults of other fields are shown on top. */
  fields: readonly string[];
  defaults?: Values;
  submit: string;
  /** Destructive actions are red. */
  danger?: boolean;
  disabled?: boolean;
  children: ReactNode;
  save: (values: Values) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for a few values in front of the page, and closes once they are saved. */
export function FormDialog(props: Props) {
  const { title, fields, defaults, submit, danger, disabled, children, save, onClose } = props;
  const id = useId();
  const { problem, guard } = useFormErrors(fields);
  const [isDirty, setDirty] = useState(false);
  // Defaults that depend on the time must not reset what was typed.
  const [start] = useState(defaults);
  return (
    <Dialog
      open
      // A click beside the dialog or Escape must not lose what was typed.
      onClose={() => !isDirty && onClose()}
      aria-labelledby={id}
      maxWidth="xs"
      fullWidth
    >
      <GuardedForm
        defaultValues={start}
        onDirty={setDirty}
        submit={(values) =>
          guard(async () => {
            await save(values);
            onClose();
          })
        }
      >
        <DialogTitle id={id}>{title}</DialogTitle>
        <DialogContent>
          <Stack sx={{ gap: 2, pt: 1 }}>
            {problem !== null && <Alert severity="error">{problem}</Alert>}
            {children}
          </Stack>
        </DialogContent>
        <Buttons submit={submit} danger={danger} disabled={disabled} onClose={onClose} />
      </GuardedForm>
    </Dialog>
  );
}

interface ButtonsProps {
  submit: string;
  danger: boolean | undefined;
  disabled: boolean | undefined;
  onClose: () => void;
}

function Buttons({ submit, danger, disabled, onClose }: ButtonsProps) {
  const t = useText();
  const { isSubmitting } = useFormState();
  return (
    <DialogActions>
      <Button onClick={onClose}>{t("common.cancel")}</Button>
      <Button
        type="submit"
        variant="contained"
        color={danger === true ? "error" : "primary"}
        disabled={disabled === true}
        loading={isSubmitting}
      >
        {submit}
      </Button>
    </DialogActions>
  );
}
