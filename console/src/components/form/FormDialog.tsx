import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Stack from "@mui/material/Stack";
import { type ReactNode, useId } from "react";
import { Form } from "react-admin";
import { useFormState } from "react-hook-form";
import { useText } from "../../i18n";
import type { Values } from "./conflict";
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
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="xs" fullWidth>
      <Form
        defaultValues={defaults}
        onSubmit={(values: Values) =>
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
      </Form>
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
