import Box from "@mui/material/Box";
import ToggleButton from "@mui/material/ToggleButton";
import ToggleButtonGroup from "@mui/material/ToggleButtonGroup";
import useMediaQuery from "@mui/material/useMediaQuery";
import { useDeferredValue, useState } from "react";
import { useText } from "../../../i18n";
import { CodeEditor } from "./CodeEditor";
import { HtmlPreview } from "./HtmlPreview";

const VIEWS = ["code", "both", "preview"] as const;

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly?: boolean;
  height?: number;
}

/** HTML with highlighting, and what it looks like. */
export function HtmlEditor({ label, value, onChange, readOnly, height = 420 }: Props) {
  const t = useText();
  const isWide = useMediaQuery("(min-width: 900px)");
  const [chosen, setChosen] = useState<(typeof VIEWS)[number]>("code");
  const view = chosen === "both" && !isWide ? "code" : chosen;
  const shown = useDeferredValue(value);

  return (
    <>
      <ToggleButtonGroup
        exclusive
        size="small"
        aria-label={t("pages.editor.view")}
        value={view}
        onChange={(_, next: (typeof VIEWS)[number] | null) => next !== null && setChosen(next)}
        sx={{ mb: 1 }}
      >
        {VIEWS.filter((one) => one !== "both" || isWide).map((one) => (
          <ToggleButton key={one} value={one} sx={{ textTransform: "none", px: 1.5, py: 0.5 }}>
            {t(`pages.editor.views.${one}`)}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      <Box
        sx={{
          display: "grid",
          gap: 1.5,
          gridTemplateColumns: view === "both" ? "repeat(2, minmax(0, 1fr))" : "minmax(0, 1fr)",
        }}
      >
        {view !== "preview" && (
          <CodeEditor
            label={label}
            language="html"
            value={value}
            onChange={onChange}
            readOnly={readOnly === true}
            height={height}
          />
        )}
        {view !== "code" && <HtmlPreview html={shown} height={height} />}
      </Box>
    </>
  );
}
