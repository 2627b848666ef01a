import SendOutlined from "@mui/icons-material/SendOutlined";
import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Stack from "@mui/material/Stack";
import { useMutation } from "@tanstack/react-query";
import { useId } from "react";
import { useNotify } from "react-admin";
import { api, body } from "../../api/client";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { AttemptView, isAccepted } from "./AttemptView";
import type { Webhook } from "./types";

/** Sends a sample event and shows what came back. */
export function TestButton({ webhook: { id } }: { webhook: Webhook }) {
  const t = useText();
  const titleId = useId();
  const notify = useNotify();
  const errorText = useErrorText();
  const test = useMutation({
    mutationFn: () => body(api.POST("/api/webhooks/{id}/test", { params: { path: { id } } })),
    onError: (error) => notify(errorText(error), { type: "error" }),
  });
  const attempt = test.data?.test;
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<SendOutlined />}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t("webhooks.test.send")}
      </Button>
      {attempt !== undefined && (
        <Dialog open onClose={() => test.reset()} aria-labelledby={titleId} maxWidth="sm" fullWidth>
          <DialogTitle id={titleId}>{t("webhooks.test.title")}</DialogTitle>
          <DialogContent>
            <Stack sx={{ gap: 2 }}>
              <Alert severity={isAccepted(attempt) ? "success" : "error"}>
                {t(isAccepted(attempt) ? "webhooks.test.accepted" : "webhooks.test.refused")}
              </Alert>
              <AttemptView attempt={attempt} />
            </Stack>
          </DialogContent>
          <DialogActions>
            <Button onClick={() => test.mutate()} loading={test.isPending}>
              {t("webhooks.test.again")}
            </Button>
            <Button variant="contained" onClick={() => test.reset()}>
              {t("common.close")}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
