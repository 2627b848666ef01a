import { DeleteButton } from "../../components/DeleteButton";
import { useText } from "../../i18n";
import type { Operator } from "./operator";

/** Takes the access to the console away. The user stays. */
export function RemoveOperator({ operator, isSelf }: { operator: Operator; isSelf: boolean }) {
  const t = useText();
  const { username, permissions } = operator;
  return (
    <DeleteButton
      resource="operators"
      record={operator}
      name={username}
      text={t("operators.remove")}
      title={t("operators.removeTitle", { name: username })}
      confirm={t("operators.remove")}
      endsSession={isSelf}
      {...(isSelf && { typed: username })}
    >
      <p>{t("operators.removeText", { smart_count: permissions.length })}</p>
      {isSelf && <p>{t("operators.removeSelf")}</p>}
    </DeleteButton>
  );
}
