import type { Tone } from "../../components/State";
import type { TextKey } from "../../i18n";
import type { Live } from "./types";

/** Why a server did not answer, in the words of the API. */
const REASONS = ["timeout", "refused", "protocol", "forbidden", "disabled"] as const;

type Reason = (typeof REASONS)[number];

export function reasonOf(live: Live): Reason | null {
  return REASONS.find((reason) => reason === live.error) ?? null;
}

/** The state of a server as a word with a colour. */
export function statusOf(live: Live, isEnabled: boolean): { tone: Tone; text: TextKey } {
  if (!isEnabled) {
    return { tone: "neutral", text: "servers.state.disabled" };
  }
  if (live.reachable) {
    return { tone: "good", text: "servers.state.online" };
  }
  const reason = reasonOf(live);
  if (reason === "disabled") {
    return { tone: "neutral", text: "servers.state.notQueried" };
  }
  if (reason === null) {
    return { tone: "neutral", text: "servers.state.waiting" };
  }
  return { tone: "bad", text: "servers.state.offline" };
}
