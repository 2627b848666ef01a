import type { SxProps } from "@mui/material/styles";
import { useMemo } from "react";
import { useTokens } from "../../../../theme/theme";
import { MONOSPACE, RADIUS_SMALL, type Tokens } from "../../../../theme/tokens";

/** The look of the visual editor in the current theme. */
export function useLook(): SxProps {
  const tokens = useTokens();
  return useMemo(() => look(tokens), [tokens]);
}

function look(tokens: Tokens): SxProps {
  const line = `1px solid ${tokens.border}`;
  return {
    border: line,
    borderRadius: `${RADIUS_SMALL}px`,
    overflow: "hidden",
    bgcolor: tokens.paper,
    "&:has(.ProseMirror-focused)": { outline: `2px solid ${tokens.accent}` },
    "& .ProseMirror": {
      position: "relative",
      minHeight: "100%",
      boxSizing: "border-box",
      p: 2,
      outline: "none",
      fontSize: 15,
      lineHeight: 1.6,
      // ProseMirror needs it to show spaces as they are typed.
      whiteSpace: "break-spaces",
      overflowWrap: "anywhere",
      "& > :first-child": { mt: 0 },
    },
    "& .ProseMirror :is(p, ul, ol, blockquote, pre, table)": { mt: 0, mb: 1.5 },
    "& .ProseMirror :is(li, td, th, blockquote) > p": { mb: 0.5 },
    "& .ProseMirror :is(h1, h2, h3, h4, h5, h6)": { mt: 2.5, mb: 1, lineHeight: 1.3 },
    "& .ProseMirror h1": { fontSize: 26 },
    "& .ProseMirror h2": { fontSize: 22 },
    "& .ProseMirror h3": { fontSize: 18 },
    "& .ProseMirror :is(h4, h5, h6)": { fontSize: 15 },
    "& .ProseMirror a": { color: tokens.accent, textDecoration: "underline" },
    "& .ProseMirror blockquote": {
      mx: 0,
      pl: 2,
      borderLeft: `3px solid ${tokens.border}`,
      color: tokens.muted,
    },
    "& .ProseMirror :is(code, pre)": {
      fontFamily: MONOSPACE,
      fontSize: 13,
      bgcolor: tokens.inset,
      borderRadius: 0.5,
    },
    "& .ProseMirror code": { px: 0.5 },
    "& .ProseMirror pre": { p: 1.5, "& code": { p: 0, bgcolor: "transparent" } },
    "& .ProseMirror hr": { border: 0, borderTop: line, my: 2 },
    "& .ProseMirror table": { borderCollapse: "collapse", maxWidth: "100%" },
    "& .ProseMirror :is(td, th)": {
      px: 1,
      py: 0.5,
      minWidth: 48,
      border: line,
      textAlign: "left",
      verticalAlign: "top",
    },
    "& .ProseMirror th": { bgcolor: tokens.inset },
    "& .ProseMirror .selectedCell": { bgcolor: tokens.accentSoft },
    "& .ProseMirror img": { maxWidth: "100%" },
    "& .ProseMirror .image": {
      display: "inline-block",
      px: 1.5,
      py: 1,
      border: `1px dashed ${tokens.muted}`,
      borderRadius: `${RADIUS_SMALL}px`,
      color: tokens.muted,
    },
    "& .ProseMirror-selectednode": { outline: `2px solid ${tokens.accent}` },
    "& .ProseMirror-separator": { display: "inline !important", width: 0, height: 0 },
    // The cursor before or after what has no text of its own, such as a table at the end.
    "& .ProseMirror-gapcursor": {
      position: "absolute",
      width: 20,
      borderTop: `1px solid ${tokens.text}`,
      pointerEvents: "none",
    },
    "& .ProseMirror:not(.ProseMirror-focused) .ProseMirror-gapcursor": { display: "none" },
    "& .ProseMirror-hideselection *::selection": { background: "transparent" },
  };
}
