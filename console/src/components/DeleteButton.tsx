import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useText } from "../i18n";
import { DeleteDialog, type DeleteProps } from "./DeleteDialog";

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
