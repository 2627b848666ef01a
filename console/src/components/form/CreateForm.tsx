import Alert from "@mui/material/Alert";
import Stack from "@mui/material/Stack";
import type { ReactNode } from "react";
import { Form, useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { useText } from "../../i18n";
import type { Values } from "./conflict";
import { FormBar } from "./FormBar";
import { useFormErrors } from "./useFormErrors";

interface Props {
  /** The names of the inputs. Faults of other fields are shown on top. */
  fields: readonly string[];
  defaults?: Values;
  submit?: string;
  children: ReactNode;
  /** Creates the record. Returns the page to open next, or nothing to stay. */
  create: (values: Values) => Promise<string | undefined>;
  /** By default the page before this one is opened. */
  onCancel?: () => void;
}

/** Creates one record. */
export function CreateForm({ fields, defaults, submit, children, create, onCancel }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { problem, guard } = useFormErrors(fields);

  const send = async (values: Values) => {
    const next = await create(values);
    refresh();
    if (next !== undefined) {
      notify(t("common.created"), { type: "success" });
      // Afterwards, so that the guard of unsaved changes sees a form that was submitted.
      setTimeout(() => void navigate(next));
    }
  };

  return (
    <Form
      defaultValues={defaults}
      warnWhenUnsavedChanges
      onSubmit={(values: Values) => guard(() => send(values))}
    >
      <Stack sx={{ gap: 2 }}>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        {children}
      </Stack>
      <FormBar
        submit={submit ?? t("common.create")}
        alwaysEnabled
        onCancel={onCancel ?? (() => void navigate(-1))}
      />
    </Form>
  );
}
