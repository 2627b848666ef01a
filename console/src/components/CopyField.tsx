import ContentCopy from "@mui/icons-material/ContentCopy";
import Box from "@mui/material/Box";
import IconButton from "@mui/material/IconButton";
import Tooltip from "@mui/material/Tooltip";
import { useState } from "react";
import { useText } from "../i18n";
import { MONOSPACE } from "../theme/tokens";
import { useTokens } from "../theme/theme";

/** A value to take along, with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const t = useText();
  const tokens = useTokens();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <Box
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 1,
        pl: 1.5,
        pr: 0.5,
        py: 0.5,
        borderRadius: 1,
        bgcolor: tokens.inset,
        border: 1,
        borderColor: "divider",
      }}
    >
      <Box
        component="code"
        aria-label={label}
        sx={{ flexGrow: 1, fontFamily: MONOSPACE, fontSize: 13, overflowWrap: "anywhere" }}
      >
        {value}
      </Box>
      <Tooltip title={t(isCopied ? "common.copied" : "common.copy")}>
        <IconButton
          size="small"
          onClick={() => void copy()}
          aria-label={`${t(isCopied ? "common.copied" : "common.copy")}: ${label}`}
        >
          <ContentCopy fontSize="small" />
        </IconButton>
      </Tooltip>
    </Box>
  );
}
