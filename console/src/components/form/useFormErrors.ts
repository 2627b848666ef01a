import { useState } from "react";
import { useLocale } from "react-admin";
import { ApiError } from "../../api/error";
import { useErrorText, useText } from "../../i18n";
import { faultTexts } from "../../i18n/faults";

const NONE: readonly string[] = [];

/**
 * Turns a refusal into the faults of fields, for the form, and into a sentence for everything that
 * belongs to no field. A field of `lists` has inputs for the fields of each item, as
 * `steps.0.command`.
 */
export function useFormErrors(fields?: readonly string[], lists = NONE) {
  const locale = useLocale();
  const t = useText();
  const errorText = useErrorText();
  const [problem, setProblem] = useState<string | null>(null);

  /** Runs the action of a form. Returns the faults of its fields, or nothing. */
  const guard = async (
    action: () => Promise<void>,
  ): Promise<Record<string, string> | undefined> => {
    setProblem(null);
    try {
      await action();
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "validation_failed") {
        setProblem(errorText(error));
        return {};
      }
      const faults = Object.entries(faultTexts(error, locale));
      /** The name of the input that shows a fault; null if there is none. */
      const inputOf = (field: string): string | null => {
        const [first = "", index, part] = field.split(".");
        if (lists.includes(first)) {
          return part === undefined ? null : `${first}.${index}.${part}`;
        }
        return fields === undefined || fields.includes(first) ? first : null;
      };
      const rest = faults
        .filter(([field]) => inputOf(field) === null)
        .map(([field, text]) => `${field}: ${text}`);
      // The service counts the faults that it does not list under this name.
      if ("..." in error.errors) {
        rest.push(t("errors.moreFaults"));
      }
      if (rest.length > 0) {
        setProblem(rest.join(" "));
      }
      return Object.fromEntries(
        faults.flatMap(([field, text]) => {
          const input = inputOf(field);
          return input === null ? [] : [[input, text]];
        }),
      );
    }
  };

  return { problem, guard };
}
