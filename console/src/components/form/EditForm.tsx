import { Alert, Box, Stack } from "@mui/material";
import visuallyHidden from "@mui/utils/visuallyHidden";
import { type ReactNode, useEffect, useState } from "react";
import { type RaRecord, useDataProvider } from "react-admin";
import { useFormContext } from "react-hook-form";
import { api, body, request } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ApiError } from "../../api/error";
import { resource as infoOf } from "../../api/resources";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useDone } from "../useAct";
import { changesOf, type Conflict, conflictsOf, isEqual, type Values } from "./conflict";
import { type Author, ConflictDialog } from "./ConflictDialog";
import { FormBar } from "./CreateForm";
import { type Faults, GuardedForm } from "./GuardedForm";
import { useFormErrors } from "./useFormErrors";

interface Props<R extends RaRecord> {
  resource: string;
  /** As `useGetOne` gave it, with its entity tag. */
  record: R;
  /** The fields of the form, with their labels. Only those that were changed are sent. */
  fields: Partial<Record<keyof R & string, string>>;
  /** Those of them that are lists with inputs for each item. */
  lists?: readonly string[];
  /** The inputs. */
  children: ReactNode;
  /** Buttons at its end, such as one that deletes. */
  actions?: ReactNode;
  /** By default it depends on the permission to change the resource. */
  readOnly?: boolean;
  /** Sends something else than a PUT of the changes to the record's own address. */
  save?: (changes: Values, ifMatch: string | undefined) => Promise<unknown>;
  /** Reads the current version, if it is not the record at its own address. */
  read?: () => Promise<R>;
  /** A value of a field in words, for the comparison of two versions. */
  show?: (field: string, value: unknown) => ReactNode;
  onSaved?: () => void;
  /** Whether it is in a dialog. Then it has a button of its own, since the bar is behind it. */
  isInDialog?: boolean;
}

interface Pending {
  changes: Values;
  current: RaRecord;
  conflicts: Conflict[];
  author: Author | null;
}

/**
 * Edits one record. It is saved only if it has not changed since it was read; otherwise both versions are
 * shown, and the person chooses.
 */
export function EditForm<R extends RaRecord>(props: Props<R>) {
  const { resource, record, fields, children, actions, onSaved } = props;
  const mayWrite = useCan(infoOf(resource).write);
  const readOnly = props.readOnly ?? !mayWrite;
  const maySeeAudit = useCan("admin.audit.read");
  const t = useText();
  const done = useDone();
  const dataProvider = useDataProvider();
  const names = Object.keys(fields);
  const { problem, guard } = useFormErrors(names, props.lists);
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
    done(t("common.saved"));
    onSaved?.();
  };

  /** Returns whether it was saved. Otherwise the person has to choose between two versions. */
  const send = async (changes: Values, ifMatch: string | undefined): Promise<boolean> => {
    try {
      if (Object.keys(changes).length > 0) {
        await put(changes, ifMatch);
      }
      await finish();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) {
        throw error;
      }
      const current = await read();
      const conflicts = conflictsOf(base, changes, current);
      if (conflicts.length === 0) {
        // The other person changed other fields: both changes stay.
        return send(changes, current[ETAG] as string | undefined);
      }
      const author = maySeeAudit ? await authorOf(infoOf(resource).audit, record.id) : null;
      setPending({ changes, current, conflicts, author });
      return false;
    }
  };

  const submit = async (values: Values): Promise<Faults> => {
    let isSaved = false;
    const changes = changesOf(names, base, values);
    const found = await guard(async () => {
      isSaved = await send(changes, base[ETAG] as string | undefined);
    });
    return isSaved ? undefined : (found ?? {});
  };

  const choose = async ({ changes, current, conflicts }: Pending, kept: Set<string>) => {
    setPending(null);
    const dropped = conflicts.map(({ field }) => field).filter((field) => !kept.has(field));
    const rest = Object.fromEntries(
      Object.entries(changes).filter(([field]) => !dropped.includes(field)),
    );
    setFaults(
      await guard(async () => {
        await send(rest, current[ETAG] as string | undefined);
      }),
    );
  };

  return (
    <GuardedForm
      record={base}
      disabled={readOnly}
      hasBar={props.isInDialog !== true}
      submit={submit}
      onDirty={setDirty}
      onDiscard={() => setBase(record)}
    >
      <FaultMarks faults={faults} />
      <Stack sx={{ gap: 2 }}>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        {isNewer && isDirty && <Alert severity="info">{t("common.unsaved.newer")}</Alert>}
        {children}
      </Stack>
      {props.isInDialog === true && !readOnly ? (
        <FormBar submit={t("common.save")} />
      ) : (
        // The bar of the page saves; this lets Enter do so, too.
        <Box component="button" type="submit" aria-hidden tabIndex={-1} sx={visuallyHidden} />
      )}
      {!readOnly && actions !== undefined && (
        <Box sx={{ display: "flex", justifyContent: "flex-end", mt: 2.5 }}>{actions}</Box>
      )}
      {pending !== null && (
        <ConflictDialog
          conflicts={pending.conflicts}
          author={pending.author}
          {...(props.show && { show: props.show })}
          label={(field) => fields[field as keyof typeof fields] ?? field}
          onChoose={(kept) => void choose(pending, kept)}
          onCancel={() => setPending(null)}
        />
      )}
    </GuardedForm>
  );
}

/** Who changed a record last. */
async function authorOf(resource: string, id: RaRecord["id"]): Promise<Author | null> {
  const query = { resource, resource_id: Number(id), per_page: 1 };
  const { audit_log } = await body(api.GET("/api/audit-log", { params: { query } }));
  const [entry] = audit_log;
  return entry === undefined ? null : { name: entry.user_name ?? entry.key_name, at: entry.at };
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
