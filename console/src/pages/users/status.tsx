import { State, type Tone } from "../../components/State";
import { useText } from "../../i18n";

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
