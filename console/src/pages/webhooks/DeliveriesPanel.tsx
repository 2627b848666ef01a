import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import Typography from "@mui/material/Typography";
import { useSearchParams } from "react-router";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { DeliveryRow } from "./DeliveryRow";
import { DELIVERY_STATES, type Webhook } from "./types";
import { useDeliveries } from "./useDeliveries";

/** What was sent, and what came of it. The filter is in the address. */
export function DeliveriesPanel({ webhook }: { webhook: Webhook }) {
  const t = useText();
  const [search, setSearch] = useSearchParams();
  const state = DELIVERY_STATES.find((one) => one === search.get("state")) ?? null;
  const filter = (next: string | null) =>
    setSearch(
      (old) => {
        if (next === null || next === "all") {
          old.delete("state");
        } else {
          old.set("state", next);
        }
        return old;
      },
      { replace: true },
    );

  return (
    <Panel
      flush
      title={t("webhooks.deliveries.title")}
      actions={
        <ToggleButtonGroup
          exclusive
          size="small"
          value={state ?? "all"}
          aria-label={t("webhooks.deliveries.filter")}
          onChange={(_, next: string | null) => filter(next)}
          sx={{ flexWrap: "wrap" }}
        >
          <ToggleButton value="all" sx={{ px: 1.25, textTransform: "none" }}>
            {t("common.all")}
          </ToggleButton>
          {DELIVERY_STATES.map((one) => (
            <ToggleButton key={one} value={one} sx={{ px: 1.25, textTransform: "none" }}>
              {t(`webhooks.deliveries.state.${one}`)}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      <Deliveries webhook={webhook} state={state} />
    </Panel>
  );
}

interface ListProps {
  webhook: Webhook;
  state: (typeof DELIVERY_STATES)[number] | null;
}

function Deliveries({ webhook, state }: ListProps) {
  const t = useText();
  const errorText = useErrorText();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useDeliveries(
    webhook.id,
    state,
  );
  if (data === undefined) {
    return (
      <Box sx={{ px: 2.5, pb: 2 }}>
        {error === null ? (
          <Skeleton variant="rounded" height={280} />
        ) : (
          <Alert severity="error">{errorText(error)}</Alert>
        )}
      </Box>
    );
  }
  const deliveries = data.pages.flatMap((page) => page.deliveries);
  if (deliveries.length === 0) {
    return (
      <Typography color="textSecondary" sx={{ px: 2.5, pb: 3 }}>
        {t(state === null ? "webhooks.deliveries.none" : "common.noResults")}
      </Typography>
    );
  }
  return (
    <>
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
      ))}
      {hasNextPage && (
        <Box sx={{ p: 2, borderTop: 1, borderColor: "divider", textAlign: "center" }}>
          <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t("common.showMore")}
          </Button>
        </Box>
      )}
    </>
  );
}
