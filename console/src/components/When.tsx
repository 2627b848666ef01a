import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useEffect, useState } from "react";
import { useFormat } from "../i18n/format";
import { useText } from "../i18n";

const REFRESH_MS = 30_000;

/** A moment, as `5 minutes ago`. The exact one is shown on hover and on focus. */
export function When({ at }: { at: string | null | undefined }) {
  const t = useText();
  const format = useFormat();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  if (at === null || at === undefined) {
    return (
      <Box component="span" sx={{ color: "text.secondary" }}>
        {t("common.never")}
      </Box>
    );
  }
  return (
    <Tooltip title={format.exactMoment(at)}>
      <Box component="time" dateTime={at} sx={{ whiteSpace: "nowrap" }}>
        {format.relative(at, now)}
      </Box>
    </Tooltip>
  );
}
