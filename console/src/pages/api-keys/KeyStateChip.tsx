import { State, type Tone } from "../../components/State";
import { useText } from "../../i18n";
import type { KeyState } from "./attention";

const TONES: Record<KeyState, Tone> = {
  active: "good",
  inactive: "neutral",
  expired: "bad",
  expiresSoon: "warn",
  unused: "warn",
};

export function KeyStateChip({ state }: { state: KeyState }) {
  const t = useText();
  return <State tone={TONES[state]} text={t(`apiKeys.${state}`)} />;
}
