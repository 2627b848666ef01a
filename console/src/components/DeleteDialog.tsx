import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import { Button } from "@mui/material";
import { type ReactNode, useState } from "react";
import { request } from "../api/client";
import { ETAG } from "../api/dataProvider";
import { ApiError } from "../api/error";
import { resource as infoOf, type ResourceName } from "../api/resources";
import { useText } from "../i18n";
import { leave } from "../session/session";
import { ConfirmDialog } from "./ConfirmDialog";
import { useLeave } from "./form/UnsavedChanges";
import { useDone } from "./useAct";

export interface DeleteProps {
  resource: ResourceName;
  record: { id: number; [ETAG]?: string };
  name: string;
  /** What will be lost. */
  children: ReactNode;
  title?: string;
  confirm?: string;
  /** What the person has to type first. */
  typed?: string;
  /** Shown if something is in the way: where to find it. */
  obstacle?: ReactNode;
  /** Whether the person's own session ends with it. */
  endsSession?: boolean;
  /** Does something else than going to the list. */
  onDeleted?: () => void;
}

/** Asks before a record is deleted, and shows why it was refused. */
export function DeleteDialog(props: DeleteProps & { onClose: () => void }) {
  const { resource, record, name, children, title, confirm, typed, obstacle, onClose } = props;
  const t = useText();
  const done = useDone();
  const leaveTo = useLeave();
  const [isRefused, setRefused] = useState(false);

  const remove = async () => {
    try {
      const ifMatch = record[ETAG];
      await request("DELETE", `${infoOf(resource).path}/${record.id}`, { ifMatch });
    } catch (error) {
      setRefused(error instanceof ApiError && error.status === 409);
      throw error;
    }
    if (props.endsSession === true) {
      leave();
      return;
    }
    if (props.onDeleted !== undefined) {
      props.onDeleted();
    } else {
      leaveTo(`/${resource}`);
    }
    done(t("common.deleted"));
  };

  return (
    <ConfirmDialog
      title={title ?? t("common.confirmDelete", { name })}
      confirm={confirm ?? t("common.delete")}
      danger
      {...(typed !== undefined && { typed })}
      onConfirm={remove}
      onClose={onClose}
    >
      {children}
      {isRefused && obstacle}
    </ConfirmDialog>
  );
}

/** A button that asks and then deletes a record. */
export function DeleteButton({ text, ...props }: DeleteProps & { text?: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button color="error" startIcon={<DeleteOutlined />} onClick={() => setOpen(true)}>
        {text ?? t("common.delete")}
      </Button>
      {isOpen && <DeleteDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
