import { Alert, Box, Button, Stack } from "@mui/material";
import { type ReactNode, useState } from "react";
import { useDataProvider, useNotify, useRefresh } from "react-admin";
import { useFormState } from "react-hook-form";
import { useNavigate } from "react-router";
import { useText } from "../../i18n";
import type { lists } from "../list/texts";
import { Page, Panel } from "../Page";
import type { Values } from "./conflict";
import { type Faults, GuardedForm } from "./GuardedForm";
import { useLeave } from "./UnsavedChanges";
import { useFormErrors } from "./useFormErrors";

interface Props {
  /** The names of the inputs. Faults of other fields are shown on top. */
  fields: readonly string[];
  /** Those of them that are lists with inputs for each item. */
  lists?: readonly string[];
  defaults?: Values;
  submit?: string;
  cancel?: string;
  children: ReactNode;
  /** Creates the record. Returns the page to open next, or nothing to stay. */
  create: (values: Values) => Promise<string | undefined>;
  /** By default the page before this one is opened. */
  onCancel?: () => void;
}

/** Creates one record. */
export function CreateForm(props: Props) {
  const { fields, lists, defaults, submit, cancel, children, create, onCancel } = props;
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const leave = useLeave();
  const { problem, guard } = useFormErrors(fields, lists);
  /** What is stored: a form that stays open has no unsaved changes then. */
  const [stored, setStored] = useState(defaults);

  const send = async (values: Values, isLeaving: boolean): Promise<Faults | "stays"> => {
    let isStaying = false;
    const faults = await guard(async () => {
      const next = await create(values);
      refresh();
      isStaying = next === undefined;
      if (next === undefined) {
        setStored(values);
        return;
      }
      notify(t("common.created"), { type: "success" });
      if (!isLeaving) {
        leave(next);
      }
    });
    return isStaying && isLeaving ? "stays" : faults;
  };

  return (
    <GuardedForm defaultValues={stored} submit={send}>
      <Stack sx={{ gap: 2 }}>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        {children}
      </Stack>
      <FormBar
        submit={submit ?? t("common.create")}
        alwaysEnabled
        cancel={cancel ?? t("common.cancel")}
        onCancel={onCancel ?? (() => void navigate(-1))}
      />
    </GuardedForm>
  );
}

interface CreatePageProps extends Omit<Props, "create"> {
  resource: keyof typeof lists.en.create;
  /** What is sent for the values of the form, if that is something else. */
  toBody?: (values: Values) => Values;
  /** Opens the list next, and not the new record. */
  opensList?: boolean;
}

/** A page that is the form of a new record. */
export function CreatePage({ resource, toBody, opensList, ...form }: CreatePageProps) {
  const t = useText();
  const dataProvider = useDataProvider();
  const create = async (values: Values) => {
    const { data } = await dataProvider.create(resource, { data: toBody?.(values) ?? values });
    return opensList === true ? `/${resource}` : `/${resource}/${data.id}`;
  };
  return (
    <Page narrow title={t(`lists.create.${resource}`)} back={resource}>
      <Panel>
        <CreateForm {...form} create={create} />
      </Panel>
    </Page>
  );
}

interface FormBarProps {
  submit: string;
  cancel?: string;
  onCancel?: () => void;
  /** A new record can be saved before anything is typed. */
  alwaysEnabled?: boolean;
}

/** The buttons of a form, which stay in sight below a long one. */
export function FormBar({ submit, cancel, onCancel, alwaysEnabled }: FormBarProps) {
  const { isSubmitting, isDirty } = useFormState();
  return (
    <Box
      sx={{
        position: "sticky",
        bottom: 0,
        zIndex: 2,
        display: "flex",
        flexWrap: "wrap",
        gap: 1,
        mt: 1,
        mx: -1,
        mb: -1,
        p: 1,
        borderRadius: 1,
        bgcolor: "background.paper",
      }}
    >
      <Button
        type="submit"
        variant="contained"
        loading={isSubmitting}
        disabled={!isDirty && alwaysEnabled !== true}
      >
        {submit}
      </Button>
      {onCancel !== undefined && <Button onClick={onCancel}>{cancel}</Button>}
    </Box>
  );
}
