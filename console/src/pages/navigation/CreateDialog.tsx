import { useNotify } from "react-admin";
import { api, type Schemas } from "../../api/client";
import { CreateForm } from "../../components/form/CreateForm";
import { useText } from "../../i18n";
import { ItemDialog } from "./ItemDialog";
import { ITEM_FIELDS, ItemFields } from "./ItemFields";
import { withRoleIds } from "./roleIds";
import { endOf, type Entry, type Tree } from "./tree";

interface Props {
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
export function CreateDialog({ tree, parent, onClose }: Props) {
  const t = useText();
  const notify = useNotify();
  const above = parent === null ? undefined : tree.get(parent);
  return (
    <ItemDialog
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
    </ItemDialog>
  );
}
