import BlockIcon from "@mui/icons-material/Block";
import LockOpenOutlined from "@mui/icons-material/LockOpenOutlined";
import Button from "@mui/material/Button";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { api } from "../../api/client";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { FormDialog } from "../../components/form/FormDialog";
import { useText } from "../../i18n";
import { BlockFields } from "./BlockFields";
import { ifMatch } from "./ifMatch";
import { termsOf } from "./terms";
import type { User } from "./types";

/** Blocks the user, or lifts the block. */
export function BlockButton({ user }: { user: User }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const [isOpen, setOpen] = useState(false);
  const isBlocked = user.status === "blocked";
  const params = { path: { id: user.id }, header: ifMatch(user) };
  const close = () => setOpen(false);

  const done = (text: "users.block.done" | "users.unblock.done") => {
    refresh();
    notify(t(text, { name: user.username }), { type: "success" });
  };

  return (
    <>
      <Button
        variant="outlined"
        color={isBlocked ? "primary" : "error"}
        startIcon={isBlocked ? <LockOpenOutlined /> : <BlockIcon />}
        onClick={() => setOpen(true)}
      >
        {t(isBlocked ? "users.unblock.button" : "users.block.button")}
      </Button>
      {isOpen && !isBlocked && (
        <FormDialog
          title={t("users.block.title", { name: user.username })}
          fields={["reason", "until"]}
          defaults={{ reason: "", until: null }}
          submit={t("users.block.button")}
          danger
          save={async (values) => {
            await api.POST("/api/users/{id}/block", { params, body: termsOf(values) });
            done("users.block.done");
          }}
          onClose={close}
        >
          <BlockFields />
        </FormDialog>
      )}
      {isOpen && isBlocked && (
        <ConfirmDialog
          title={t("users.unblock.title", { name: user.username })}
          confirm={t("users.unblock.button")}
          onConfirm={async () => {
            await api.POST("/api/users/{id}/unblock", { params });
            done("users.unblock.done");
          }}
          onClose={close}
        >
          {t("users.unblock.text")}
        </ConfirmDialog>
      )}
    </>
  );
}
