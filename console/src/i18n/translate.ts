import type { Format } from "./format";
import type { Texts } from "./types";

type Values = Record<string, unknown>;

/** Values that count something. Others may be ids, which have no separators. */
const COUNTS = new Set(["smart_count", "offsetBegin", "offsetEnd", "total"]);

/** The forms of a text for numbers, in the order in which they are written. */
const FORMS: Record<string, Intl.LDMLPluralRule[]> = {
  en: ["one", "other"],
  ru: ["one", "few", "many"],
};

/**
 * A text by its key, such as `users.status.blocked`, with its values filled in. `values._` is used if
 * there is no such text.
 */
export function translate(messages: Texts, format: Format, key: string, values: Values): string {
  const found = key
    .split(".")
    .reduce<Texts | string | undefined>(
      (tree, step) => (typeof tree === "object" ? tree[step] : undefined),
      messages,
    );
  const text = typeof found === "string" ? found : typeof values._ === "string" ? values._ : key;
  return formOf(text, format, values.smart_count).replace(/%\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined || value === null) {
      return whole;
    }
    return typeof value === "number" && COUNTS.has(name) ? format.number(value) : String(value);
  });
}

/** The form of a text that a number asks for: `%{smart_count} user |||| %{smart_count} users`. */
function formOf(text: string, format: Format, count: unknown): string {
  const forms = text.split("||||");
  if (forms.length === 1 || typeof count !== "number") {
    return forms[0]?.trim() ?? "";
  }
  const index = FORMS[format.language]?.indexOf(format.plural(count)) ?? -1;
  return (forms[index] ?? forms.at(-1) ?? "").trim();
}
