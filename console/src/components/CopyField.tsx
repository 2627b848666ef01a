import ContentCopy from "@mui/icons-material/ContentCopy";
import { Box } from "@mui/material";
import { useState } from "react";
import { useText } from "../i18n";
import { useTokens } from "../theme/theme";
import { MONOSPACE } from "../theme/tokens";
import { IconAction } from "./IconAction";

interface Props {
  /** What the value is. */
  label: string;
  value: string;
}

/** A button that copies a value. */
export function CopyButton({ label, value }: Props) {
  const t = useText();
  const [isCopied, setCopied] = useState(false);
  const tip = t(isCopied ? "common.copied" : "common.copy");
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <IconAction
      icon={ContentCopy}
      tip={tip}
      label={`${tip}: ${label}`}
      size="small"
      onClick={() => void copy()}
    />
  );
}

/** A value to take along, with a button that copies it. */
export function CopyField({ label, value }: Props) {
  const tokens = useTokens();
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
      <CopyButton label={label} value={value} />
    </Box>
  );
}
