import { useState } from "react";
import { useLocale } from "react-admin";
import { ApiError } from "../../api/error";
import { fault } from "../../i18n/faults";
import { useErrorText } from "../../i18n/describe";

/**
 * Turns a refusal into the faults of fields, for the form, and into a sentence for everything that
 * belongs to no field.
 */
export function useFormErrors(fields?: readonly string[]) {
  const locale = useLocale();
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
      const faults = Object.entries(error.fields).map(([field, messages]) => ({
        field,
        text: messages.map((message) => fault(message, locale)).join(" "),
      }));
      const isShown = (field: string) =>
        fields === undefined || fields.includes(field.split(".")[0] ?? "");
      const rest = faults.filter(({ field }) => !isShown(field));
      if (rest.length > 0) {
        setProblem(rest.map(({ field, text }) => `${field}: ${text}`).join(" "));
      }
      return Object.fromEntries(
        faults
          .filter(({ field }) => isShown(field))
          .map(({ field, text }) => [field.split(".")[0] ?? field, text]),
      );
    }
  };

  return { problem, guard };
}
