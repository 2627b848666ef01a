import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useFormat } from "../../i18n/format";
import { MONOSPACE } from "../../theme/tokens";
import { useTokens } from "../../theme/theme";
import { failureText } from "./failures";
import type { Attempt } from "./types";

/** Any 2xx is a success. */
export function isAccepted({ status }: Attempt): boolean {
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
          {t("webhooks.attempt.duration", { value: format.number(duration_ms) })}
        </Typography>
        <Typography variant="body2" color="textSecondary">
          <When at={at} />
        </Typography>
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
