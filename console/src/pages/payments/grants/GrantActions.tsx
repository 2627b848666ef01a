import { Alert, Box, Button } from "@mui/material";
import { useState } from "react";
import { TextInput } from "react-admin";
import { api } from "../../../api/client";
import { ConfirmButton } from "../../../components/ConfirmDialog";
import { FormDialog } from "../../../components/form/FormDialog";
import { useAct, useDone } from "../../../components/useAct";
import { useText } from "../../../i18n";
import { type Grant, type GrantStep, isOpen } from "./grant";
import { TakingBackLists } from "./TakingBackLists";

/** Cancels the rest of a grant, or takes it back. */
export function GrantActions({ grant }: { grant: Grant }) {
  const t = useText();
  const done = useDone();
  const { id, product_name: product, state, steps } = grant;
  const params = { path: { id } };
  const isLive = state !== "revoked" && state !== "cancelled";
  return (
    <>
      {isLive && steps.some(isOpen) && (
        <ConfirmButton
          text={t("grants.cancel")}
          button={{ size: "small" }}
          title={t("grants.cancelTitle")}
          confirm={t("grants.cancel")}
          danger
          onConfirm={async () => {
            await api.POST("/api/grants/{id}/cancel", { params });
            done(t("grants.cancelDone"));
          }}
        >
          {t("grants.cancelHint")}
        </ConfirmButton>
      )}
      {isLive && (
        <ConfirmButton
          text={t("grants.revoke")}
          button={{ size: "small", color: "error" }}
          title={t("grants.revokeTitle", { product })}
          confirm={t("grants.revoke")}
          danger
          onConfirm={async () => {
            await api.POST("/api/grants/{id}/revoke", { params });
            done(t("grants.revokeDone"));
          }}
        >
          {grant.invoice_id !== null && t("grants.revokeHint")}
          <TakingBackLists grantId={id} />
        </ConfirmButton>
      )}
    </>
  );
}

interface StepProps {
  grant: Grant;
  step: GrantStep;
}

/** What a person can do with a step that failed or is uncertain. */
export function StepActions({ grant, step }: StepProps) {
  const t = useText();
  const done = useDone();
  const [isBusy, act] = useAct();
  const [isResolving, setResolving] = useState(false);
  const params = { path: { id: grant.id, stepId: step.id } };
  const retry = async () => {
    await api.POST("/api/grants/{id}/steps/{stepId}/retry", { params });
    done(t("grants.retryDone"));
  };
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, mt: 1 }}>
      <Button size="small" variant="outlined" loading={isBusy} onClick={() => act(retry)}>
        {t("grants.retry")}
      </Button>
      <Button size="small" variant="outlined" onClick={() => setResolving(true)}>
        {t("grants.resolve")}
      </Button>
      {isResolving && (
        <FormDialog
          title={t("grants.resolveTitle")}
          fields={["note"]}
          submit={t("grants.resolve")}
          save={async ({ note }) => {
            const body = { note: typeof note === "string" ? note : "" };
            await api.POST("/api/grants/{id}/steps/{stepId}/resolve", { params, body });
            done(t("grants.resolveDone"));
          }}
          onClose={() => setResolving(false)}
        >
          <Alert severity="info">{t("grants.resolveHint")}</Alert>
          <TextInput
            source="note"
            label={t("grants.note")}
            helperText={t("grants.noteHint")}
            multiline
            minRows={2}
            required
            slotProps={{ htmlInput: { maxLength: 1000 } }}
          />
        </FormDialog>
      )}
    </Box>
  );
}
