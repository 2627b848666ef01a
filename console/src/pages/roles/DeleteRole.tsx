import { ETAG } from "../../api/dataProvider";
import { DeleteButton } from "../../components/DeleteButton";
import { useText } from "../../i18n";
import { useMembers } from "./useMembers";

interface Props {
  role: { id: number; name: string; [ETAG]?: string };
}

export function DeleteRole({ role }: Props) {
  const t = useText();
  const { data: members } = useMembers(role.id);
  return (
    <DeleteButton resource="roles" record={role} name={role.name} text={t("roles.delete")}>
      {members !== undefined && members.total > 0 && (
        <p>{t("roles.losesMembers", { smart_count: members.total })}</p>
      )}
      <p>{t("roles.losesPermissions")}</p>
      <p>{t("roles.losesNavigation")}</p>
      <p>{t("common.cannotUndo")}</p>
    </DeleteButton>
  );
}
