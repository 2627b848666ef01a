import type { TextKey } from "../../i18n";

/** Why a receiver gave no answer. The service says it in English only. */
const FAILURES: [RegExp, TextKey][] = [
  [/^The URL is not one that can be contacted\.$/, "webhooks.failures.url"],
  [/^The name of the receiver cannot be resolved\.$/, "webhooks.failures.name"],
  [/^The name of the receiver has no address\.$/, "webhooks.failures.noAddress"],
  [/^The address \S+ is not public; .+$/, "webhooks.failures.forbidden"],
  [/^The receiver does not accept connections\.$/, "webhooks.failures.connection"],
  [/^There is no secure connection to the receiver\.$/, "webhooks.failures.tls"],
  [/^The receiver closed the connection or .+$/, "webhooks.failures.protocol"],
  [/^The receiver did not answer in time\.$/, "webhooks.failures.timeout"],
  [/^The audit entry of the event was deleted\.$/, "webhooks.failures.entryDeleted"],
];

export function failureText(message: string): TextKey | null {
  return FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
