import { State } from "../../components/State";
import { useText } from "../../i18n";

/** Whether visitors of the site see a page. */
export function PageState({ isActive }: { isActive: boolean }) {
  const t = useText();
  return isActive ? (
    <State tone="good" text={t("pages.state.active")} />
  ) : (
    <State tone="neutral" text={t("pages.state.inactive")} />
  );
}
