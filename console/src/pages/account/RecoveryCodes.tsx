import Alert from "@mui/material/Alert";
import AlertTitle from "@mui/material/AlertTitle";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Stack from "@mui/material/Stack";
import { useState } from "react";
import { useText } from "../../i18n";
import { MONOSPACE } from "../../theme/tokens";
import { useTokens } from "../../theme/theme";

interface Props {
  codes: string[];
  onStored: () => void;
}

/** Shows recovery codes once, to copy or to download. */
export function RecoveryCodes({ codes, onStored }: Props) {
  const t = useText();
  const tokens = useTokens();
  const [isCopied, setCopied] = useState(false);
  const text = codes.join("\n");
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  const download = () => {
    const url = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = "steward-recovery-codes.txt";
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Stack sx={{ gap: 2 }}>
      <Alert severity="warning">
        <AlertTitle>{t("account.factor.codesTitle")}</AlertTitle>
        {t("account.factor.codesText")} {t("common.shownOnce")}
      </Alert>
      <Box
        component="ul"
        aria-label={t("account.factor.codes")}
        sx={{
          m: 0,
          p: 2,
          display: "grid",
          gridTemplateColumns: "repeat(auto-fill, minmax(150px, 1fr))",
          gap: 1,
          listStyle: "none",
          borderRadius: 1,
          bgcolor: tokens.inset,
          fontFamily: MONOSPACE,
        }}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </Box>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>
        <Button variant="outlined" onClick={() => void copy()}>
          {t(isCopied ? "common.copied" : "account.factor.copy")}
        </Button>
        <Button variant="outlined" onClick={download}>
          {t("account.factor.download")}
        </Button>
        <Box sx={{ flexGrow: 1 }} />
        <Button variant="contained" onClick={onStored}>
          {t("account.factor.stored")}
        </Button>
      </Box>
    </Stack>
  );
}
