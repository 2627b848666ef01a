import type { Schemas } from "../../api/client";
import type { TextKey } from "../../i18n";
import { actions } from "../../pages/audit/actions";

export type Entry = Schemas["AuditEntry"];

/** Values of people who were erased, and secrets. */
export const MASKED = "***";

type Sentence = Extract<TextKey, `audit.actions.${string}` | `audit.cases.${string}`>;

/** The text of an entry, and the number in it. */
export function sentence(entry: Entry): { key: Sentence; count: number } {
  return {
    key: special(entry) ?? (isKnown(entry.action) ? `audit.actions.${entry.action}` : OTHER),
    count: Object.keys(changedUsers(entry)).length,
  };
}

const OTHER = "audit.cases.other";

type Actions = typeof actions.en;
type Known = {
  [R in keyof Actions & string]: `${R}.${keyof Actions[R] & string}`;
}[keyof Actions & string];

function isKnown(action: string): action is Known {
  const [resource = "", kind = ""] = action.split(".");
  const kinds: Record<string, Record<string, string>> = actions.en;
  return Object.hasOwn(kinds, resource) && Object.hasOwn(kinds[resource] ?? {}, kind);
}

/** Some actions do one of several things, which only the fields tell. */
function special({ action, before, after, ...rest }: Entry): Sentence | null {
  switch (action) {
    case "servers.toggle":
      return after.enabled === true ? "audit.cases.serverEnabled" : "audit.cases.serverDisabled";
    case "payment_invoices.status":
      if (after.is_paid === undefined) {
        return null;
      }
      return after.is_paid === true ? "audit.cases.invoicePaid" : "audit.cases.invoiceUnpaid";
    case "users.bulk": {
      const [one] = Object.values(changedUsers({ action, before, after, ...rest }));
      if (one?.roles !== undefined) {
        return "audit.cases.usersRoles";
      }
      if (one?.status === undefined && one?.block === undefined) {
        return null;
      }
      return one.block === null ? "audit.cases.usersUnblocked" : "audit.cases.usersBlocked";
    }
    default:
      return null;
  }
}

interface UserState {
  status?: string;
  block?: unknown;
  roles?: number[];
}

function changedUsers({ after }: Entry): Record<string, UserState> {
  return (after.users ?? {}) as Record<string, UserState>;
}
