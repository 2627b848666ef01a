import { State } from "../../components/State";
import { useText } from "../../i18n";

export function AccessState({ active }: { active: boolean }) {
  const t = useText();
  return (
    <State
      tone={active ? "good" : "neutral"}
      text={t(active ? "operators.active" : "operators.inactive")}
    />
  );
}

export function TwoFactorState({ isOn }: { isOn: boolean }) {
  const t = useText();
  return (
    <State
      tone={isOn ? "good" : "warn"}
      text={t(isOn ? "operators.twoFactorOn" : "operators.twoFactorOff")}
    />
  );
}
