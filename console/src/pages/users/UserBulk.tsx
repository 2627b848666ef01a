import Button from "@mui/material/Button";
import { useState } from "react";
import { useListContext } from "react-admin";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { type BulkAction, BulkDialog } from "./BulkDialog";

const ACTIONS: BulkAction[] = ["block", "unblock", "add_roles", "remove_roles"];
const NEED_ROLES: BulkAction[] = ["add_roles", "remove_roles"];

/** What can be done with many users at once. */
export function UserBulk() {
  const t = useText();
  const mayReadRoles = useCan("admin.roles.read");
  const { selectedIds, onUnselectItems } = useListContext();
  const [action, setAction] = useState<BulkAction | null>(null);
  const offered = ACTIONS.filter((name) => mayReadRoles || !NEED_ROLES.includes(name));
  return (
    <>
      {offered.map((name) => (
        <Button key={name} onClick={() => setAction(name)}>
          {t(`users.bulk.${name}.button`)}
        </Button>
      ))}
      {action !== null && (
        <BulkDialog
          action={action}
          ids={selectedIds.map(Number)}
          onClose={() => setAction(null)}
          onDone={() => onUnselectItems()}
        />
      )}
    </>
  );
}
