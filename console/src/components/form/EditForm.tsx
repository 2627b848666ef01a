import Alert from "@mui/material/Alert";
import Stack from "@mui/material/Stack";
import { type ReactNode, useEffect, useState } from "react";
import { Form, type RaRecord, useDataProvider, useNotify, useRefresh } from "react-admin";
import { useFormContext, useFormState } from "react-hook-form";
import { request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ApiError } from "../../api/error";
import { resource as infoOf } from "../../api/resources";
import { useText } from "../../i18n";
import { changesOf, type Conflict, conflictsOf, isEqual, type Values } from "./conflict";
import { ConflictDialog } from "./ConflictDialog";
import { FormBar } from "./FormBar";
import { useFormErrors } from "./useFormErrors";

interface Props<R extends RaRecord> {
  resource: string;
  /** As `useGetOne` gave it, with its entity tag. */
  record: R;
  /** The fields of the form, with their labels. Only those that were changed are sent. */
  fields: Partial<Record<keyof R & string, string>>;
  /** The inputs. */
  children: ReactNode;
  /** More buttons beside the one that saves. */
  actions?: ReactNode;
  /** Whether the person may save. */
  readOnly?: boolean;
  /** Sends something else than a PUT of the changes to the record's own address. */
  save?: (changes: Values, ifMatch: string | undefined) => Promise<unknown>;
  /** Reads the current version, if it is not the record at its own address. */
  read?: () => Promise<R>;
  /** A value of a field in words, for the comparison of two versions. */
  show?: (field: string, value: unknown) => ReactNode;
  onSaved?: () => void;
}

interface Pending {
  changes: Values;
  current: RaRecord;
  conflicts: Conflict[];
}

/**
 * Edits one record. It is saved only if it has not changed since it was read; otherwise both versions are
 * shown, and the person chooses.
 */
export function EditForm<R extends RaRecord>(props: Props<R>) {
  const { resource, record, fields, children, actions, readOnly, onSaved } = props;
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const dataProvider = useDataProvider();
  const names = Object.keys(fields);
  const { problem, guard } = useFormErrors(names);
  const [base, setBase] = useState<R>(record);
  const [isDirty, setDirty] = useState(false);
  const [pending, setPending] = useState<Pending | null>(null);
  /** Of a version that was sent after a conflict, and not by the form itself. */
  const [faults, setFaults] = useState<Record<string, string>>();

  // A change by another client is shown at once, unless it would overwrite what is being typed.
  const [seen, setSeen] = useState(record[ETAG]);
  if (record[ETAG] !== seen) {
    setSeen(record[ETAG]);
    if (!isDirty) {
      setBase(record);
    }
  }
  const isNewer =
    record[ETAG] !== base[ETAG] && names.some((field) => !isEqual(record[field], base[field]));

  const put = (changes: Values, ifMatch: string | undefined) =>
    props.save?.(changes, ifMatch) ??
    request("PUT", `${infoOf(resource).path}/${record.id}`, { body: changes, ifMatch });

  const read = async (): Promise<RaRecord> => {
    if (props.read !== undefined) {
      return props.read();
    }
    const { data } = await dataProvider.getOne<RaRecord>(resource, { id: record.id });
    return data;
  };

  const finish = async () => {
    setDirty(false);
    setBase((await read()) as R);
    refresh();
    notify(t("common.saved"), { type: "success" });
    onSaved?.();
  };

  const send = async (changes: Values, ifMatch: string | undefined): Promise<void> => {
    try {
      if (Object.keys(changes).length > 0) {
        await put(changes, ifMatch);
      }
      await finish();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) {
        throw error;
      }
      const current = await read();
      const conflicts = conflictsOf(base, changes, current);
      if (conflicts.length === 0) {
        // The other person changed other fields: both changes stay.
        await send(changes, current[ETAG] as string | undefined);
      } else {
        setPending({ changes, current, conflicts });
      }
    }
  };

  const choose = async ({ changes, current, conflicts }: Pending, kept: Set<string>) => {
    setPending(null);
    const dropped = conflicts.map(({ field }) => field).filter((field) => !kept.has(field));
    const rest = Object.fromEntries(
      Object.entries(changes).filter(([field]) => !dropped.includes(field)),
    );
    setFaults(await guard(() => send(rest, current[ETAG] as string | undefined)));
  };

  return (
    <Form
      record={base}
      warnWhenUnsavedChanges
      sanitizeEmptyValues={false}
      disabled={readOnly === true}
      onSubmit={(values: Values) =>
        guard(() => send(changesOf(names, base, values), base[ETAG] as string | undefined))
      }
    >
      <DirtyWatch onChange={setDirty} />
      <FaultMarks faults={faults} />
      <Stack sx={{ gap: 2 }}>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        {isNewer && isDirty && <Alert severity="info">{t("common.unsaved.newer")}</Alert>}
        {children}
      </Stack>
      {readOnly !== true && <FormBar>{actions}</FormBar>}
      {pending !== null && (
        <ConflictDialog
          conflicts={pending.conflicts}
          {...(props.show && { show: props.show })}
          label={(field) => fields[field as keyof typeof fields] ?? field}
          onChoose={(kept) => void choose(pending, kept)}
          onCancel={() => setPending(null)}
        />
      )}
    </Form>
  );
}

/** Tells whether something was typed. Rendered inside the form, which knows it. */
function DirtyWatch({ onChange }: { onChange: (isDirty: boolean) => void }) {
  const { isDirty } = useFormState();
  useEffect(() => onChange(isDirty), [isDirty, onChange]);
  return null;
}

/** Shows faults beside their fields. Rendered inside the form, which has them. */
function FaultMarks({ faults }: { faults: Record<string, string> | undefined }) {
  const { setError } = useFormContext();
  useEffect(() => {
    for (const [field, message] of Object.entries(faults ?? {})) {
      setError(field, { type: "server", message });
    }
  }, [faults, setError]);
  return null;
}
