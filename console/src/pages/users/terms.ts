import type { Schemas } from "../../api/client";
import type { Values } from "../../components/form/conflict";

/** The terms of a block from the inputs of a form. */
export function termsOf(values: Values): Schemas["UserBlockTerms"] {
  const { reason, until } = values as { reason?: string | null; until?: string | null };
  return { reason: reason ?? "", until: until ?? null };
}
