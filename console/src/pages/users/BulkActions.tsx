import { Alert, Button } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useListContext } from "react-admin";
import { useWatch } from "react-hook-form";
import { api, body, type Schemas } from "../../api/client";
import type { Values } from "../../components/form/conflict";
import { FormDialog } from "../../components/form/FormDialog";
import { RolesInput } from "../../components/form/RolesInput";
import { useDelayed } from "../../components/useDelayed";
import { useDone } from "../../components/useAct";
import { useErrorText, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BlockFields, termsOf, useReasons, usualTerms } from "./BlockFields";
import type { Role, UserItem } from "./user";

const ACTIONS: BulkAction[] = ["block", "unblock", "add_roles", "remove_roles"];
const NEED_ROLES: BulkAction[] = ["add_roles", "remove_roles"];

/** What can be done with many users at once. */
export function UserBulk() {
  const t = useText();
  const mayReadRoles = useCan("admin.roles.read");
  const { selectedIds, onUnselectItems, data } = useListContext<UserItem>();
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
          shown={data ?? []}
          onClose={() => setAction(null)}
          onDone={() => onUnselectItems()}
        />
      )}
    </>
  );
}

type BulkAction = "block" | "unblock" | "add_roles" | "remove_roles";

interface Props {
  action: BulkAction;
  ids: number[];
  /** The users of the list, which may be fewer than those that are selected. */
  shown: readonly UserItem[];
  onClose: () => void;
  onDone: () => void;
}

/** Changes many users at once, and says beforehand how many it would change. */
function BulkDialog({ action, ids, shown, onClose, onDone }: Props) {
  const t = useText();
  const done = useDone();
  const [wouldChange, setWouldChange] = useState(0);
  const remember = useReasons()[1];

  const save = async (values: Values) => {
    const change = changeOf(action, ids, values);
    const { changed } = await body(api.POST("/api/users/bulk", { body: change }));
    remember(values["reason"]);
    const reverse = reverseOf(change, changed, shown);
    done(
      t("users.bulk.done", { smart_count: changed.length }),
      reverse === null ? undefined : () => api.POST("/api/users/bulk", { body: reverse }),
    );
    onDone();
  };

  return (
    <FormDialog
      title={t(`users.bulk.${action}.title`, { smart_count: ids.length })}
      fields={["reason", "until", "roles"]}
      defaults={{ ...usualTerms(), roles: [] }}
      submit={t(`users.bulk.${action}.button`)}
      danger={action === "block"}
      disabled={wouldChange === 0}
      save={save}
      onClose={onClose}
    >
      {action === "block" && <BlockFields />}
      {(action === "add_roles" || action === "remove_roles") && <RolesInput />}
      <BulkPreview
        action={action}
        changeOf={(values) => changeOf(action, ids, values)}
        onCount={setWouldChange}
      />
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

/**
 * The request that takes a change of many back, or null where the service cannot restore what was
 * there: blocks with terms of their own, other statuses than active, some of several roles.
 */
function reverseOf(
  { block, add_roles, remove_roles }: Schemas["BulkUserChange"],
  ids: number[],
  shown: readonly UserItem[],
): Schemas["BulkUserChange"] | null {
  const wasActive = (id: number) => shown.find((user) => user.id === id)?.status === "active";
  if (block) {
    return ids.every(wasActive) ? { ids, unblock: true } : null;
  }
  if (add_roles?.length === 1) {
    return { ids, remove_roles: add_roles };
  }
  return remove_roles?.length === 1 ? { ids, add_roles: remove_roles } : null;
}

const DELAY_MS = 300;

interface BulkPreviewProps {
  action: BulkAction;
  /** The request that the form would send. */
  changeOf: (values: Values) => Schemas["BulkUserChange"];
  /** Told how many users would change. */
  onCount: (count: number) => void;
}

/** Asks the service what a change of many would do, without doing it. */
function BulkPreview({ action, changeOf, onCount }: BulkPreviewProps) {
  const t = useText();
  const errorText = useErrorText();
  const change = useDelayed(JSON.stringify(changeOf(useWatch() as Values)), DELAY_MS);
  const { data, error } = useQuery({
    queryKey: ["users", "bulk", change],
    queryFn: () => {
      const request = JSON.parse(change) as Schemas["BulkUserChange"];
      return body(api.POST("/api/users/bulk", { body: { ...request, dry_run: true } }));
    },
    placeholderData: (previous) => previous,
    retry: false,
  });
  const count = error === null ? (data?.changed.length ?? 0) : 0;
  useEffect(() => onCount(count), [count, onCount]);

  if (error !== null) {
    return <Alert severity="error">{errorText(error)}</Alert>;
  }
  return (
    <Alert severity="info" role="status" sx={{ minHeight: 52 }}>
      {data === undefined
        ? t("common.loading")
        : [
            t(`users.bulk.${action}.will`, { smart_count: data.changed.length }),
            data.unchanged.length > 0 &&
              t("users.bulk.unchanged", { smart_count: data.unchanged.length }),
          ]
            .filter(Boolean)
            .join(" ")}
    </Alert>
  );
}
