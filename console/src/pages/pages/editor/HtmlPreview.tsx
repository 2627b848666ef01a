import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { useMemo } from "react";
import { useText } from "../../../i18n";
import { nonce } from "../../../nonce";
import { previewDocument } from "./previewDocument";

/** What HTML looks like. It runs no script and reaches nothing of the console. */
export function HtmlPreview({ html, height }: { html: string; height: number }) {
  const t = useText();
  const source = useMemo(() => previewDocument(html, nonce), [html]);
  return (
    <Box>
      <Box
        component="iframe"
        title={t("pages.editor.preview")}
        sandbox=""
        srcDoc={source}
        sx={{
          display: "block",
          width: "100%",
          height,
          border: 1,
          borderColor: "divider",
          borderRadius: 1,
          bgcolor: "#ffffff",
        }}
      />
      <Typography variant="caption" color="textSecondary">
        {t("pages.editor.previewHint")}
      </Typography>
    </Box>
  );
}
