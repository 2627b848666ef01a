import ExpandMore from "@mui/icons-material/ExpandMore";
import ReplayOutlined from "@mui/icons-material/ReplayOutlined";
import {
  Accordion,
  AccordionDetails,
  AccordionSummary,
  Box,
  Button,
  Stack,
  Typography,
} from "@mui/material";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useNotify } from "react-admin";
import { api } from "../../api/client";
import { nextCursor } from "../../api/lists";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { ToggleButtons } from "../../components/ToggleButtons";
import { useAct } from "../../components/useAct";
import { useAddress } from "../../components/useAddress";
import { Code, Muted, State, type Tone, When } from "../../components/text";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { AttemptView } from "./AttemptView";
import { type Delivery, DELIVERY_STATES, type DeliveryState, type Webhook } from "./types";

/** What was sent, and what came of it. The filter is in the address. */
export function DeliveriesPanel({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [search, change] = useAddress({ replace: true });
  const state = DELIVERY_STATES.find((one) => one === search.get("state")) ?? "all";
  return (
    <Panel
      flush
      title={t("webhooks.tabs.deliveries")}
      actions={
        <ToggleButtons
          aria-label={t("webhooks.deliveries.filter")}
          value={state}
          options={["all", ...DELIVERY_STATES] as const}
          text={(one) => t(one === "all" ? "common.all" : `webhooks.deliveries.state.${one}`)}
          onChange={(one) => change({ state: one === "all" ? null : one })}
          sx={{ flexWrap: "wrap" }}
          buttonSx={{ px: 1.25 }}
        />
      }
    >
      <Deliveries webhook={webhook} state={state} />
    </Panel>
  );
}

interface ListProps {
  webhook: Webhook;
  state: DeliveryState | "all";
}

function Deliveries({ webhook, state }: ListProps) {
  const t = useText();
  const query = useDeliveries(webhook.id, state);
  return (
    <Loaded query={query} height={280} inset>
      {({ pages }) => (
        <>
          {pages.flatMap(({ deliveries }) =>
            deliveries.map((delivery) => (
              <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
            )),
          )}
          {pages[0]?.deliveries.length === 0 && (
            <Muted sx={{ px: 2.5, pb: 3 }}>
              {t(state === "all" ? "webhooks.deliveries.none" : "common.noResults")}
            </Muted>
          )}
          {query.hasNextPage && (
            <Box sx={{ p: 2, borderTop: 1, borderColor: "divider", textAlign: "center" }}>
              <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                {t("common.showMore")}
              </Button>
            </Box>
          )}
        </>
      )}
    </Loaded>
  );
}

const TONES: Record<DeliveryState, Tone> = { pending: "warn", delivered: "good", failed: "bad" };

/** One event: its state, and inside the attempts to deliver it. */
function DeliveryRow({ webhook, delivery }: { webhook: Webhook; delivery: Delivery }) {
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
            <Box component="span" sx={{ fontWeight: 600 }}>
              <Code>{action ?? t("webhooks.deliveries.unknownAction")}</Code>
            </Box>
            <Box component="span" sx={{ color: "text.secondary", fontSize: 13, ml: 1 }}>
              {`#${id}`}
            </Box>
          </Box>
          <Muted>
            {last !== undefined && last.status !== null && `${last.status} · `}
            {t("webhooks.deliveries.attempts", { smart_count: attempts.length })}
          </Muted>
          <Muted sx={{ minWidth: 110 }}>
            <When at={created_at} />
          </Muted>
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
          {attempts.length === 0 && <Muted>{t("webhooks.deliveries.notSent")}</Muted>}
          {canWrite && <RetryButton webhookId={webhook.id} deliveryId={id} />}
        </Stack>
      </AccordionDetails>
    </Accordion>
  );
}

function RetryButton({ webhookId, deliveryId }: { webhookId: number; deliveryId: number }) {
  const t = useText();
  const notify = useNotify();
  const queries = useQueryClient();
  const [isBusy, act] = useAct();
  const retry = async () => {
    const params = { path: { id: webhookId, deliveryId } };
    await api.POST("/api/webhooks/{id}/deliveries/{deliveryId}/retry", { params });
    notify(t("webhooks.deliveries.retried"), { type: "success" });
    await queries.invalidateQueries({ queryKey: ["webhooks", webhookId] });
  };
  return (
    <Box>
      <Button
        variant="outlined"
        startIcon={<ReplayOutlined />}
        loading={isBusy}
        onClick={() => act(retry)}
      >
        {t("webhooks.test.again")}
      </Button>
    </Box>
  );
}

const PER_PAGE = 25;
/** Deliveries that wait may be sent at any moment. */
const REFRESH_MS = 10_000;

/** The deliveries of a webhook, newest first, one part after the other. */
function useDeliveries(id: number, state: DeliveryState | "all") {
  return useInfiniteQuery({
    queryKey: ["webhooks", id, "deliveries", state],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const { data, response } = await api.GET("/api/webhooks/{id}/deliveries", {
        params: {
          path: { id },
          query: {
            per_page: PER_PAGE,
            ...(state !== "all" && { state }),
            ...(pageParam !== null && { after: pageParam }),
          },
        },
      });
      return {
        deliveries: data?.deliveries ?? [],
        next: nextCursor(response.headers.get("Link")),
      };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
}
