import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import { useState } from "react";
import { useNotify, useRefresh } from "react-admin";
import { useNavigate } from "react-router";
import { api } from "../../api/client";
import { ApiError } from "../../api/error";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { ifMatch } from "./ifMatch";
import type { User } from "./types";

/** `instead`: deleting was refused, because there are invoices. */
type Step = "erase" | "delete" | "instead";

/** The two ways to part with a user. */
export function EndPanel({ user }: { user: User }) {
  const t = useText();
  const notify = useNotify();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [step, setStep] = useState<Step | null>(null);

  const erase = async () => {
    const params = { path: { id: user.id }, header: ifMatch(user) };
    await api.POST("/api/users/{id}/erase", { params });
    notify(t("users.erase.done"), { type: "success" });
    refresh();
  };

  const remove = async () => {
    const params = { path: { id: user.id }, header: ifMatch(user) };
    try {
      await api.DELETE("/api/users/{id}", { params });
    } catch (error) {
      if (error instanceof ApiError && error.code === "user_has_invoices") {
        setStep("instead");
        return;
      }
      throw error;
    }
    notify(t("users.delete.done", { name: user.username }), { type: "success" });
    void navigate("/users");
  };

  return (
    <Panel title={t("users.end")}>
      <Stack sx={{ gap: 2 }}>
        <Way
          text={t("users.erase.short")}
          button={t("users.erase.button")}
          onClick={() => setStep("erase")}
        />
        <Way
          text={t("users.delete.short")}
          button={t("users.delete.button")}
          onClick={() => setStep("delete")}
        />
      </Stack>
      {step === "delete" && (
        <ConfirmDialog
          title={t("common.confirmDelete", { name: user.username })}
          confirm={t("users.delete.button")}
          danger
          typed={user.username}
          onConfirm={remove}
          onClose={() => setStep((current) => (current === "delete" ? null : current))}
        >
          {t("users.delete.text")}
        </ConfirmDialog>
      )}
      {(step === "erase" || step === "instead") && (
        <ConfirmDialog
          title={t("users.erase.title", { name: user.username })}
          confirm={t("users.erase.button")}
          danger
          typed={user.username}
          onConfirm={erase}
          onClose={() => setStep(null)}
        >
          {step === "instead" && (
            <Alert severity="warning" sx={{ mb: 2 }}>
              {t("errors.codes.user_has_invoices")}
            </Alert>
          )}
          <Box component="p" sx={{ mt: 0 }}>
            {t("users.erase.lost")}
          </Box>
          <Box component="p">{t("users.erase.stays")}</Box>
          <Box component="p" sx={{ mb: 0 }}>
            {t("users.erase.backups")}
          </Box>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Way({ text, button, onClick }: { text: string; button: string; onClick: () => void }) {
  return (
    <Box sx={{ display: "flex", alignItems: "center", gap: 2 }}>
      <Typography variant="body2" color="textSecondary" sx={{ flexGrow: 1 }}>
        {text}
      </Typography>
      <Button variant="outlined" color="error" onClick={onClick} sx={{ flexShrink: 0 }}>
        {button}
      </Button>
    </Box>
  );
}
