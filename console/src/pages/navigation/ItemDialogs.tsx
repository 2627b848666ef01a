import { Button, DialogContentText } from "@mui/material";
import { type RaRecord, useGetOne, useNotify } from "react-admin";
import { api, request, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { RESOURCES } from "../../api/resources";
import { DeleteDialog } from "../../components/DeleteDialog";
import type { Values } from "../../components/form/conflict";
import { CreateForm } from "../../components/form/CreateForm";
import { EditForm } from "../../components/form/EditForm";
import { RecordDialog } from "../../components/form/RecordDialog";
import { Loaded } from "../../components/Loaded";
import { Modal } from "../../components/Modal";
import { useText } from "../../i18n";
import { ITEM_FIELDS, ItemFields } from "./ItemFields";
import { endOf, type Entry, type Tree } from "./tree";

interface CreateDialogProps {
  tree: Tree<Entry>;
  /** The item above the new one. */
  parent: number | null;
  onClose: () => void;
}

const DEFAULTS = {
  new_tab: false,
  visibility: "all",
  visible_only_for_guests: false,
  visible_only_for_logged_in: false,
  roles: [],
} satisfies Partial<Schemas["NewNavbarItem"]>;

/** Creates an item at the end of the menu, or below another one. */
export function CreateDialog({ tree, parent, onClose }: CreateDialogProps) {
  const t = useText();
  const notify = useNotify();
  const above = parent === null ? undefined : tree.get(parent);
  return (
    <RecordDialog
      title={
        above === undefined ? t("navigation.new") : t("navigation.newBelow", { name: above.title })
      }
      onClose={onClose}
    >
      <CreateForm
        fields={ITEM_FIELDS}
        defaults={DEFAULTS}
        onCancel={onClose}
        create={async (values) => {
          const item = {
            ...withRoleIds(values),
            parent_id: parent,
            position: endOf(tree, parent),
          } as Schemas["NewNavbarItem"];
          await api.POST("/api/navbar-items", { body: item });
          notify(t("common.created"), { type: "success" });
          onClose();
          return undefined;
        }}
      >
        <ItemFields />
      </CreateForm>
    </RecordDialog>
  );
}

type ItemRecord = Schemas["NavbarItemDetail"] & RaRecord<number> & { [ETAG]?: string };

interface EditDialogProps {
  id: number;
  readOnly: boolean;
  onClose: () => void;
}

/** Edits one item of the menu. */
export function EditDialog({ id, readOnly, onClose }: EditDialogProps) {
  const t = useText();
  const item = useGetOne<ItemRecord>("navigation", { id });
  const save = (changes: Values, ifMatch: string | undefined) =>
    request("PUT", `${RESOURCES.navigation.path}/${id}`, { body: withRoleIds(changes), ifMatch });

  return (
    <RecordDialog title={item.data?.title ?? t("navigation.edit")} onClose={onClose}>
      <Loaded query={item} height={420}>
        {(record) => (
          <EditForm<ItemRecord>
            resource="navigation"
            record={record}
            readOnly={readOnly}
            fields={Object.fromEntries(
              ITEM_FIELDS.map((name) => [name, t(`navigation.fields.${name}`)]),
            )}
            save={save}
            onSaved={onClose}
            isInDialog
          >
            <ItemFields />
          </EditForm>
        )}
      </Loaded>
    </RecordDialog>
  );
}

interface DeleteItemProps {
  entry: Entry;
  /** The items below it. */
  below: Entry[];
  onClose: () => void;
}

/** Deletes an item, or says why that is not possible. */
export function DeleteItem({ entry, below, onClose }: DeleteItemProps) {
  const t = useText();
  if (below.length > 0) {
    return <Refusal entry={entry} below={below} onClose={onClose} />;
  }
  return (
    <DeleteDialog
      resource="navigation"
      record={{ id: entry.id, [ETAG]: entry.tag }}
      name={entry.title}
      onClose={onClose}
    >
      {t("navigation.deleteWarning")} {t("common.cannotUndo")}
    </DeleteDialog>
  );
}

/** The service refuses to delete an item with others below it, so this is not offered. */
function Refusal({ entry, below, onClose }: DeleteItemProps) {
  const t = useText();
  return (
    <Modal
      title={t("navigation.cannotDelete", { name: entry.title })}
      onClose={onClose}
      actions={
        <Button variant="contained" onClick={onClose}>
          {t("common.close")}
        </Button>
      }
    >
      <DialogContentText component="div">
        {t("errors.codes.has_children")}
        <ul>
          {below.map(({ id, title }) => (
            <li key={id}>{title}</li>
          ))}
        </ul>
      </DialogContentText>
    </Modal>
  );
}

type Role = Schemas["NavbarItemRole"];

/** The API shows the roles of an item with their names, and takes their ids. */
function withRoleIds(values: Values): Values {
  const { roles } = values;
  return roles === undefined
    ? values
    : { ...values, roles: ((roles ?? []) as Role[]).map(({ id }) => id) };
}
