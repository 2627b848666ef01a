import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { api, body, type Schemas } from "../../api/client";
import type { Values } from "../../components/form/conflict";
import { FormDialog } from "../../components/form/FormDialog";
import { useText } from "../../i18n";
import { BlockFields } from "./BlockFields";
import { BulkPreview } from "./BulkPreview";
import { RolesInput } from "./RolesInput";
import { termsOf } from "./terms";
import type { Role } from "./types";

export type BulkAction = "block" | "unblock" | "add_roles" | "remove_roles";

interface Props {
  action: BulkAction;
  ids: number[];
  onClose: () => void;
  onDone: () => void;
}

/** Changes many users at once, and says beforehand how many it would change. */
export function BulkDialog({ action, ids, onClose, onDone }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const [wouldChange, setWouldChange] = useState(0);

  const save = async (values: Values) => {
    const change = changeOf(action, ids, values);
    const { changed } = await body(api.POST("/api/users/bulk", { body: change }));
    notify(t("users.bulk.done", { smart_count: changed.length }), { type: "success" });
    refresh();
    onDone();
  };

  return (
    <FormDialog
      title={t(`users.bulk.${action}.title`, { smart_count: ids.length })}
      fields={["reason", "until", "roles"]}
      defaults={{ reason: "", until: null, roles: [] }}
      submit={t(`users.bulk.${action}.submit`)}
      danger={action === "block"}
      disabled={wouldChange === 0}
      save={save}
      onClose={onClose}
    >
      {action === "block" && <BlockFields />}
      {(action === "add_roles" || action === "remove_roles") && <RolesInput />}
      <BulkPreview changeOf={(values) => changeOf(action, ids, values)} onCount={setWouldChange} />
    </FormDialog>
  );
}

function changeOf(action: BulkAction, ids: number[], values: Values): Schemas["BulkUserChange"] {
  const roleIds = ((values["roles"] ?? []) as Role[]).map(({ id }) => id);
  switch (action) {
    case "block":
      return { ids, block: termsOf(values) };
    case "unblock":
      return { ids, unblock: true };
    case "add_roles":
      return { ids, add_roles: roleIds };
    case "remove_roles":
      return { ids, remove_roles: roleIds };
  }
}
