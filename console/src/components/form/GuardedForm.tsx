import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import { Form, type FormProps } from "react-admin";
import { type FieldErrors, useFormContext, useFormState } from "react-hook-form";
import type { Values } from "./conflict";
import { type Outcome, useGuard } from "./UnsavedChanges";

/** The faults of fields, or nothing after success. */
export type Faults = Record<string, string> | undefined;

/**
 * With `isLeaving`, another page opens next, unless the form has something to show first, such as
 * the value of a new key.
 */
export type Submit = (values: Values, isLeaving: boolean) => Promise<Faults | "stays">;

/** Asks the person before a form is saved. Resolves to whether it may be. */
type Check = () => Promise<boolean>;

const Checks = createContext<Set<Check>>(new Set());

/** Lets an input ask before the form around it is saved, by whichever button. */
export function useSaveCheck(check: Check): void {
  const checks = useContext(Checks);
  const latest = useEffectEvent(check);
  useEffect(() => {
    const added = () => latest();
    checks.add(added);
    return () => void checks.delete(added);
  }, [checks]);
}

/** Tells what is around a form, such as a dialog, whether something was typed. */
export const DirtyContext = createContext<(isDirty: boolean) => void>(() => undefined);

interface Props extends Pick<FormProps, "record" | "defaultValues" | "disabled"> {
  submit: Submit;
  /** Whether the bar of the page saves it. Otherwise it has a button of its own. */
  hasBar?: boolean;
  onDirty?: (isDirty: boolean) => void;
  onDiscard?: () => void;
  children: ReactNode;
}

/**
 * A form that is not left with unsaved changes. The service validates it, so all faults are shown
 * at once, in the language of the console; a browser would show one, in a language of its own.
 */
export function GuardedForm(props: Props) {
  const { hasBar = false, onDirty, onDiscard, children, submit: send, ...form } = props;
  const [checks] = useState(() => new Set<Check>());
  const submit: Submit = async (values, isLeaving) => {
    for (const check of checks) {
      if (!(await check())) {
        return {};
      }
    }
    return send(values, isLeaving);
  };
  return (
    <Form
      {...form}
      noValidate
      disableInvalidFormNotification
      sanitizeEmptyValues={false}
      onSubmit={(values: Values) => submit(values, false)}
    >
      <Guarded submit={submit} hasBar={hasBar} onDirty={onDirty} onDiscard={onDiscard} />
      <Checks value={checks}>{children}</Checks>
    </Form>
  );
}

type GuardedProps = Required<Pick<Props, "submit" | "hasBar">> & {
  onDirty: Props["onDirty"];
  onDiscard: Props["onDiscard"];
};

/** The name of the first input with a fault, which may be one of an item of a list. */
function firstFaulty(errors: FieldErrors): string | undefined {
  const [found] = Object.entries(errors).filter(([, error]) => error !== undefined);
  if (found === undefined) {
    return undefined;
  }
  const [name, error] = found;
  const inner = typeof error?.type === "string" ? undefined : firstFaulty(error as FieldErrors);
  return inner === undefined ? name : `${name}.${inner}`;
}

/** Tells the page about the changes. Rendered inside the form, which knows them. */
function Guarded({ submit, hasBar, onDirty, onDiscard }: GuardedProps) {
  const id = useId();
  const { add, remove } = useGuard();
  const { handleSubmit, reset, setError, setFocus } = useFormContext();
  const { isDirty, isSubmitting, errors } = useFormState();
  const latest = useRef({ submit, onDiscard });
  useEffect(() => {
    latest.current = { submit, onDiscard };
  });
  useEffect(() => onDirty?.(isDirty), [isDirty, onDirty]);
  const report = useContext(DirtyContext);
  useEffect(() => report(isDirty), [isDirty, report]);

  // A faulty field may be out of sight of the button that was pressed.
  const faulty = firstFaulty(errors);
  const wasSubmitting = useRef(false);
  useEffect(() => {
    if (wasSubmitting.current && !isSubmitting && faulty !== undefined) {
      setFocus(faulty);
    }
    wasSubmitting.current = isSubmitting;
  }, [isSubmitting, faulty, setFocus]);

  useEffect(() => {
    if (!isDirty) {
      return undefined;
    }
    add(id, {
      hasBar,
      save: async () => {
        let outcome: Outcome = "refused";
        await handleSubmit(async (values) => {
          const result = await latest.current.submit(values, true);
          if (result === undefined || result === "stays") {
            outcome = result ?? "saved";
            return;
          }
          Object.entries(result).forEach(([field, message]) =>
            setError(field, { type: "server", message }),
          );
          if (Object.keys(result).length === 0) {
            outcome = "stays";
          }
        })();
        return outcome;
      },
      discard: () => {
        reset();
        latest.current.onDiscard?.();
      },
    });
    return () => remove(id);
  }, [isDirty, id, hasBar, add, remove, handleSubmit, reset, setError]);
  return null;
}
