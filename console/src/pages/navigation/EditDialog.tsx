import Alert from "@mui/material/Alert";
import Skeleton from "@mui/material/Skeleton";
import { type RaRecord, useGetOne } from "react-admin";
import { request, type Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";
import { RESOURCES } from "../../api/resources";
import type { Values } from "../../components/form/conflict";
import { EditForm } from "../../components/form/EditForm";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { ItemDialog } from "./ItemDialog";
import { ITEM_FIELDS, ItemFields } from "./ItemFields";
import { withRoleIds } from "./roleIds";

type ItemRecord = Schemas["NavbarItemDetail"] & RaRecord<number> & { [ETAG]?: string };

interface Props {
  id: number;
  readOnly: boolean;
  onClose: () => void;
}

/** Edits one item of the menu. */
export function EditDialog({ id, readOnly, onClose }: Props) {
  const t = useText();
  const errorText = useErrorText();
  const { data: item, error } = useGetOne<ItemRecord>("navigation", { id });
  const save = (changes: Values, ifMatch: string | undefined) =>
    request("PUT", `${RESOURCES.navigation.path}/${id}`, { body: withRoleIds(changes), ifMatch });

  return (
    <ItemDialog title={item?.title ?? t("navigation.edit")} onClose={onClose}>
      {error ? (
        <Alert severity="error">{errorText(error)}</Alert>
      ) : item === undefined ? (
        <Skeleton variant="rounded" height={420} />
      ) : (
        <EditForm<ItemRecord>
          resource="navigation"
          record={item}
          readOnly={readOnly}
          fields={Object.fromEntries(
            ITEM_FIELDS.map((name) => [name, t(`navigation.fields.${name}`)]),
          )}
          save={save}
          onSaved={onClose}
        >
          <ItemFields />
        </EditForm>
      )}
    </ItemDialog>
  );
}
