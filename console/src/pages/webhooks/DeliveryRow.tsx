import ExpandMore from "@mui/icons-material/ExpandMore";
import ReplayOutlined from "@mui/icons-material/ReplayOutlined";
import Accordion from "@mui/material/Accordion";
import AccordionDetails from "@mui/material/AccordionDetails";
import AccordionSummary from "@mui/material/AccordionSummary";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import Typography from "@mui/material/Typography";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNotify } from "react-admin";
import { api } from "../../api/client";
import { State, type Tone } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { useCan } from "../../session/session";
import { MONOSPACE } from "../../theme/tokens";
import { AttemptView } from "./AttemptView";
import type { Delivery, DeliveryState, Webhook } from "./types";

const TONES: Record<DeliveryState, Tone> = { pending: "warn", delivered: "good", failed: "bad" };

/** One event: its state, and inside the attempts to deliver it. */
export function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
  const t = useText();
  const { id, action, state, created_at, next_attempt_at, attempts } = delivery;
  const canWrite = useCan("admin.webhooks");
  const last = attempts[attempts.length - 1];
  return (
    <Accordion
      disableGutters
      square
      elevation={0}
      slotProps={{ transition: { unmountOnExit: true } }}
      sx={{ borderTop: 1, borderColor: "divider", "&::before": { display: "none" } }}
    >
      <AccordionSummary expandIcon={<ExpandMore />} sx={{ px: 2.5 }}>
        <Box
          sx={{
            flexGrow: 1,
            display: "flex",
            flexWrap: "wrap",
            alignItems: "center",
            columnGap: 2,
            rowGap: 0.5,
            pr: 1.5,
          }}
        >
          <Box sx={{ minWidth: 96 }}>
            <State tone={TONES[state]} text={t(`webhooks.deliveries.state.${state}`)} />
          </Box>
          <Box sx={{ flexGrow: 1, minWidth: 160, overflowWrap: "anywhere" }}>
            <Box component="span" sx={{ fontFamily: MONOSPACE, fontSize: 13, fontWeight: 600 }}>
              {action ?? t("webhooks.deliveries.unknownAction")}
            </Box>
            <Box component="span" sx={{ color: "text.secondary", fontSize: 13, ml: 1 }}>
              {`#${id}`}
            </Box>
          </Box>
          <Typography variant="body2" color="textSecondary">
            {last !== undefined && last.status !== null && `${last.status} · `}
            {t("webhooks.deliveries.attempts", { smart_count: attempts.length })}
          </Typography>
          <Typography variant="body2" color="textSecondary" sx={{ minWidth: 110 }}>
            <When at={created_at} />
          </Typography>
        </Box>
      </AccordionSummary>
      <AccordionDetails sx={{ px: 2.5, pb: 2.5 }}>
        <Stack sx={{ gap: 2 }}>
          {next_attempt_at !== null && (
            <Typography variant="body2">
              {t("webhooks.deliveries.next")} <When at={next_attempt_at} />
            </Typography>
          )}
          {attempts.map((attempt, index) => (
            <AttemptView key={`${attempt.at}/${index}`} attempt={attempt} />
          ))}
          {attempts.length === 0 && (
            <Typography variant="body2" color="textSecondary">
              {t("webhooks.deliveries.notSent")}
            </Typography>
          )}
          {canWrite && <RetryButton webhookId={webhook.id} deliveryId={id} />}
        </Stack>
      </AccordionDetails>
    </Accordion>
  );
}

function RetryButton({ webhookId, deliveryId }: { webhookId: number; deliveryId: number }) {
  const t = useText();
  const notify = useNotify();
  const errorText = useErrorText();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: () =>
      api.POST("/api/webhooks/{id}/deliveries/{deliveryId}/retry", {
        params: { path: { id: webhookId, deliveryId } },
      }),
    onSuccess: async () => {
      notify(t("webhooks.deliveries.retried"), { type: "success" });
      await queries.invalidateQueries({ queryKey: ["webhooks", webhookId] });
    },
    onError: (error) => notify(errorText(error), { type: "error" }),
  });
  return (
    <Box>
      <Button
        variant="outlined"
        startIcon={<ReplayOutlined />}
        loading={retry.isPending}
        onClick={() => retry.mutate()}
      >
        {t("webhooks.deliveries.retry")}
      </Button>
    </Box>
  );
}
