import type { Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { State, type Tone } from "../../components/text";
import { useText } from "../../i18n";

/** A user in the list. */
export type UserItem = Schemas["ListedUser"];

/** One user, with the entity tag of the version that is shown. */
export type User = Schemas["UserDetail"] & { [ETAG]?: string };

export type Role = Schemas["UserRole"];

/** The header that lets a write pass only if what is shown has not changed. */
export function ifMatch(shown: { [ETAG]?: string | undefined }): { "If-Match"?: string } {
  const tag = shown[ETAG];
  return tag === undefined ? {} : { "If-Match": tag };
}

/** The statuses that mean something to the service. A community may use words of its own. */
export const STATUSES = ["active", "inactive", "pending", "blocked"] as const;
type Status = (typeof STATUSES)[number];

const TONES: Record<Status, Tone> = {
  active: "good",
  inactive: "neutral",
  pending: "warn",
  blocked: "bad",
};

function isKnown(status: string): status is Status {
  return (STATUSES as readonly string[]).includes(status);
}

/** The name of a status in the reader's language. */
export function useStatusText(): (status: string) => string {
  const t = useText();
  return (status) => (isKnown(status) ? t(`users.status.${status}`) : status);
}

export function UserState({ status }: { status: string }) {
  const statusText = useStatusText();
  return <State tone={isKnown(status) ? TONES[status] : "accent"} text={statusText(status)} />;
}
