import { DeleteButton } from "../../components/DeleteButton";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import type { Key } from "./ApiKeyPage";

interface Props {
  apiKey: Key;
  /** Whether the person is signed in with it. */
  isOwn: boolean;
  lastUsedAt: string | null;
}

export function DeleteKey({ apiKey, isOwn, lastUsedAt }: Props) {
  const t = useText();
  const format = useFormat();
  return (
    <DeleteButton
      resource="api-keys"
      record={apiKey}
      name={apiKey.name}
      text={t("apiKeys.delete")}
      typed={apiKey.name}
      endsSession={isOwn}
    >
      <p>{t("apiKeys.deleteText")}</p>
      {lastUsedAt !== null && (
        <p>{t("apiKeys.deleteUsed", { when: format.relative(lastUsedAt) })}</p>
      )}
      {isOwn && <p>{t("apiKeys.deleteOwn")}</p>}
      <p>{t("common.cannotUndo")}</p>
    </DeleteButton>
  );
}
