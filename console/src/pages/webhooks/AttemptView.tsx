import SendOutlined from "@mui/icons-material/SendOutlined";
import { Alert, Box, Button, Stack, Typography } from "@mui/material";
import { useState } from "react";
import { api, body } from "../../api/client";
import { Modal } from "../../components/Modal";
import { useAct } from "../../components/useAct";
import { Muted, State, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";
import { failureText } from "./failures";
import type { Attempt, Webhook } from "./types";

/** Any 2xx is a success. */
function isAccepted({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** One request to a receiver: its status, how long it took, and what came back. */
export function AttemptView({ attempt }: { attempt: Attempt }) {
  const t = useText();
  const format = useFormat();
  const tokens = useTokens();
  const { at, status, duration_ms, error, reply } = attempt;
  const known = error === null ? null : failureText(error);
  return (
    <Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 1.5 }}>
        <State
          tone={isAccepted(attempt) ? "good" : "bad"}
          text={status === null ? t("webhooks.attempt.noAnswer") : String(status)}
        />
        <Typography variant="body2">
          {t("common.milliseconds", { value: format.number(duration_ms) })}
        </Typography>
        <Muted>
          <When at={at} />
        </Muted>
      </Box>
      {error !== null && (
        <Typography variant="body2" sx={{ mt: 0.5 }}>
          {known === null ? error : t(known)}
        </Typography>
      )}
      {reply !== "" && (
        <Box
          component="pre"
          role="region"
          tabIndex={0}
          aria-label={t("webhooks.attempt.reply")}
          sx={{
            mt: 1,
            mb: 0,
            p: 1.5,
            maxHeight: 240,
            overflow: "auto",
            borderRadius: 1,
            bgcolor: tokens.inset,
            fontFamily: MONOSPACE,
            fontSize: 12,
            whiteSpace: "pre-wrap",
            overflowWrap: "anywhere",
          }}
        >
          {reply}
        </Box>
      )}
    </Box>
  );
}

/** Sends a sample event and shows what came back. */
export function TestButton({ webhook: { id } }: { webhook: Webhook }) {
  const t = useText();
  const [isBusy, act] = useAct();
  const [attempt, setAttempt] = useState<Attempt | null>(null);
  const close = () => setAttempt(null);
  const send = async () => {
    const params = { path: { id } };
    setAttempt((await body(api.POST("/api/webhooks/{id}/test", { params }))).test);
  };
  return (
    <>
      <Button
        variant="outlined"
        startIcon={<SendOutlined />}
        loading={isBusy}
        onClick={() => act(send)}
      >
        {t("webhooks.test.send")}
      </Button>
      {attempt !== null && (
        <Modal
          title={t("webhooks.test.title")}
          width="sm"
          onClose={close}
          actions={
            <>
              <Button onClick={() => act(send)} loading={isBusy}>
                {t("webhooks.test.again")}
              </Button>
              <Button variant="contained" onClick={close}>
                {t("common.close")}
              </Button>
            </>
          }
        >
          <Stack sx={{ gap: 2 }}>
            <Alert severity={isAccepted(attempt) ? "success" : "error"}>
              {t(isAccepted(attempt) ? "webhooks.test.accepted" : "webhooks.test.refused")}
            </Alert>
            <AttemptView attempt={attempt} />
          </Stack>
        </Modal>
      )}
    </>
  );
}
