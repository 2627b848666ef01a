import Box from "@mui/material/Box";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import type { Entry } from "./consoleLog";

/** A command, and below it the answer or why there is none. */
export function ConsoleEntry({ entry: { command, answer, truncated, error } }: { entry: Entry }) {
  const t = useText();
  const errorText = useErrorText();
  return (
    <Box sx={{ mb: 1.5 }}>
      <Box sx={{ color: "primary.main", fontWeight: 600, overflowWrap: "anywhere" }}>
        {`> ${command}`}
      </Box>
      {error !== null ? (
        <Box sx={{ color: "error.main", fontFamily: "fontFamily" }}>{errorText(error)}</Box>
      ) : answer === null ? (
        <Box sx={{ color: "text.secondary" }}>{t("servers.console.waiting")}</Box>
      ) : answer === "" ? (
        <Box sx={{ color: "text.secondary" }}>{t("servers.console.noAnswer")}</Box>
      ) : (
        <Box sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{answer}</Box>
      )}
      {truncated && (
        <Box sx={{ color: "warning.main", fontFamily: "fontFamily" }}>
          {t("servers.console.truncated")}
        </Box>
      )}
    </Box>
  );
}
