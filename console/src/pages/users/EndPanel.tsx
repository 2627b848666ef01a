import { Alert, Box, Button, Stack } from "@mui/material";
import { useState } from "react";
import { api } from "../../api/client";
import { ApiError } from "../../api/error";
import { ConfirmDialog } from "../../components/ConfirmDialog";
import { useLeave } from "../../components/form/UnsavedChanges";
import { Panel } from "../../components/Page";
import { Muted } from "../../components/text";
import { useDone } from "../../components/useAct";
import { useText } from "../../i18n";
import { ifMatch, type User } from "./user";

/** Why a user cannot be deleted, only erased. */
type Obstacle = "user_has_invoices" | "user_has_grants";
type Step = "erase" | "delete" | Obstacle;

function isObstacle(code: unknown): code is Obstacle {
  return code === "user_has_invoices" || code === "user_has_grants";
}

/** The two ways to part with a user. */
export function EndPanel({ user }: { user: User }) {
  const t = useText();
  const done = useDone();
  const leave = useLeave();
  const [step, setStep] = useState<Step | null>(null);

  const erase = async () => {
    const params = { path: { id: user.id }, header: ifMatch(user) };
    await api.POST("/api/users/{id}/erase", { params });
    done(t("users.erase.done"));
  };

  const remove = async () => {
    const params = { path: { id: user.id }, header: ifMatch(user) };
    try {
      await api.DELETE("/api/users/{id}", { params });
    } catch (error) {
      if (error instanceof ApiError && isObstacle(error.code)) {
        setStep(error.code);
        return;
      }
      throw error;
    }
    done(t("users.delete.done", { name: user.username }));
    leave("/users");
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
          button={t("common.delete")}
          onClick={() => setStep("delete")}
        />
      </Stack>
      {step === "delete" && (
        <ConfirmDialog
          title={t("common.confirmDelete", { name: user.username })}
          confirm={t("common.delete")}
          danger
          typed={user.username}
          onConfirm={remove}
          onClose={() => setStep((current) => (current === "delete" ? null : current))}
        >
          {t("users.delete.text")}
        </ConfirmDialog>
      )}
      {(step === "erase" || isObstacle(step)) && (
        <ConfirmDialog
          title={t("users.erase.title", { name: user.username })}
          confirm={t("users.erase.button")}
          danger
          typed={user.username}
          onConfirm={erase}
          onClose={() => setStep(null)}
        >
          {isObstacle(step) && (
            <Alert severity="warning" sx={{ mb: 2 }}>
              {t(`errors.codes.${step}`)}
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
      <Muted sx={{ flexGrow: 1 }}>{text}</Muted>
      <Button variant="outlined" color="error" onClick={onClick} sx={{ flexShrink: 0 }}>
        {button}
      </Button>
    </Box>
  );
}
