import type { Schemas } from "../../../api/client";
import type { Tone } from "../../../components/text";
import type { TextKey } from "../../../i18n";

export type Grant = Schemas["GrantItem"];
export type GrantState = Grant["state"];
export type GrantStep = Schemas["GrantStepItem"];

/** The states of grants, those that need a person first. */
export const GRANT_STATES: readonly GrantState[] = [
  "attention",
  "pending",
  "done",
  "cancelled",
  "revoked",
];

/** The state in words: a grant that is revoked may have steps that are still being taken back. */
export type ShownState = GrantState | "revoking";

export const GRANT_TONES: Record<ShownState, Tone> = {
  attention: "bad",
  revoking: "warn",
  pending: "warn",
  done: "good",
  cancelled: "neutral",
  revoked: "neutral",
};

export const STEP_TONES: Record<GrantStep["state"], Tone> = {
  pending: "warn",
  sending: "warn",
  done: "good",
  failed: "bad",
  uncertain: "bad",
  cancelled: "neutral",
  undone: "neutral",
  kept: "neutral",
};

/** Whether a step waits for a person. */
export function isStuck({ state }: GrantStep): boolean {
  return state === "failed" || state === "uncertain";
}

/** Whether a step has not been carried out, and may be. */
export function isOpen({ state }: GrantStep): boolean {
  return state === "pending" || state === "sending";
}

export function shownState({ state, steps }: Grant): ShownState {
  return state === "revoked" && steps.some(isOpen) ? "revoking" : state;
}

/** Why a step failed. The service says it in English only. */
const FAILURES: [RegExp, TextKey][] = [
  [/^The user has linked no Steam profile\.$/, "grants.errors.steam"],
  [/^The user has linked no Discord profile\.$/, "grants.errors.discord"],
  [/^The servers of this step were deleted\.$/, "grants.errors.servers"],
  [/^The server was deleted\.$/, "grants.errors.server"],
  [/^The role was deleted\.$/, "grants.errors.role"],
  [/^The role would be held for more than 100 years\.$/, "grants.errors.tooLong"],
  [/^The user was erased\.$/, "grants.errors.erased"],
  [/^The instance that sent the command died\. .+$/, "grants.errors.lost"],
  [/^The plugin could not deliver it\.$/, "grants.errors.plugin"],
];

export function failureText(message: string): TextKey | null {
  return FAILURES.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}
