import DeleteOutlined from "@mui/icons-material/DeleteOutlined";
import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import { type ReactNode, useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { Link as RouterLink, useNavigate } from "react-router";
import { request } from "../../api/client";
import { ApiError } from "../../api/error";
import { resource as infoOf, type ResourceName } from "../../api/resources";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useText } from "../../i18n";

interface Props {
  resource: ResourceName;
  id: number;
  name: string;
  ifMatch: string | undefined;
  /** What will be lost. */
  children: ReactNode;
  /** Where the invoices are that may be in the way. */
  invoices: string;
}

/** Deletes a record that invoices may refer to. If they do, it leads to them. */
export function DeleteAction({ resource, id, name, ifMatch, children, invoices }: Props) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [isInUse, setInUse] = useState(false);

  const remove = async () => {
    try {
      await request("DELETE", `${infoOf(resource).path}/${id}`, { ifMatch });
    } catch (error) {
      setInUse(error instanceof ApiError && error.status === 409);
      throw error;
    }
    notify(t("common.deleted"), { type: "success" });
    refresh();
    void navigate(`/${resource}`);
  };

  return (
    <>
      <Button color="error" startIcon={<DeleteOutlined />} onClick={() => setOpen(true)}>
        {t("common.delete")}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={t("common.confirmDelete", { name })}
          confirm={t("common.delete")}
          danger
          onConfirm={remove}
          onClose={() => {
            setOpen(false);
            setInUse(false);
          }}
        >
          {children}
          {isInUse && (
            <Link component={RouterLink} to={invoices} sx={{ display: "block", mt: 2 }}>
              {t("payments.showInvoices")}
            </Link>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
