import Tooltip from "@mui/material/Tooltip";
import { useText } from "../../i18n";
import { EVERYTHING, has } from "./events";

/** Which events a webhook gets, in a few words. */
export function EventSummary({ events }: { events: string[] }) {
  const t = useText();
  if (has(events, EVERYTHING)) {
    return <>{t("webhooks.events.all")}</>;
  }
  const [first = ""] = events;
  return events.length === 1 ? (
    <code>{first}</code>
  ) : (
    <Tooltip title={events.join(", ")}>
      <span>{t("webhooks.events.patterns", { smart_count: events.length })}</span>
    </Tooltip>
  );
}
