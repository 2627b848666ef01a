import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  defaultHighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { oneDarkHighlightStyle } from "@codemirror/theme-one-dark";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import Box from "@mui/material/Box";
import { useEffect, useEffectEvent, useRef } from "react";
import { nonce } from "../../../nonce";
import { dark, MONOSPACE, type Tokens } from "../../../theme/tokens";
import { useTokens } from "../../../theme/theme";
import { usePhrases } from "./phrases";

export interface CodeMirrorProps {
  label: string;
  language: "html" | "json";
  value: string;
  onChange: (value: string) => void;
  readOnly?: boolean;
  height: number;
}

const LANGUAGES = { html, json };

export default function CodeMirror(props: CodeMirrorProps) {
  const { label, language, value, readOnly, height } = props;
  const tokens = useTokens();
  const phrases = usePhrases();
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const change = useEffectEvent(props.onChange);
  const current = useEffectEvent(() => value);

  useEffect(() => {
    const parent = place.current;
    if (parent === null) {
      return;
    }
    const view = new EditorView({
      parent,
      doc: current(),
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        EditorView.lineWrapping,
        LANGUAGES[language](),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        look(tokens),
        EditorState.phrases.of(phrases),
        EditorState.readOnly.of(readOnly === true),
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            change(update.state.doc.toString());
          }
        }),
        ...(nonce === undefined ? [] : [EditorView.cspNonce.of(nonce)]),
      ],
    });
    editor.current = view;
    return () => view.destroy();
  }, [label, language, phrases, readOnly, tokens]);

  // The value also changes from outside: another person saved the page.
  useEffect(() => {
    const view = editor.current;
    if (view !== null && view.state.doc.toString() !== value) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
    }
  }, [value]);

  return <Box ref={place} sx={{ height, "& .cm-editor": { height: "100%" } }} />;
}

function look(tokens: Tokens): Extension {
  const isDark = tokens === dark;
  return [
    syntaxHighlighting(isDark ? oneDarkHighlightStyle : defaultHighlightStyle),
    EditorView.theme(
      {
        "&": {
          color: tokens.text,
          backgroundColor: tokens.paper,
          border: `1px solid ${tokens.border}`,
          borderRadius: "8px",
          overflow: "hidden",
          fontSize: "13px",
        },
        "&.cm-focused": { outline: `2px solid ${tokens.accent}` },
        ".cm-scroller": { fontFamily: MONOSPACE, lineHeight: "1.55" },
        ".cm-content": { caretColor: tokens.accent },
        ".cm-cursor": { borderLeftColor: tokens.accent },
        ".cm-gutters": {
          color: tokens.muted,
          backgroundColor: tokens.inset,
          borderRight: `1px solid ${tokens.border}`,
        },
        ".cm-activeLine": { backgroundColor: `${tokens.accent}0d` },
        "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
          backgroundColor: `${tokens.accent}44`,
        },
        ".cm-panels": { color: tokens.text, backgroundColor: tokens.inset },
        ".cm-textfield": { backgroundColor: tokens.paper, borderColor: tokens.border },
        ".cm-button": {
          color: tokens.text,
          backgroundColor: tokens.paper,
          backgroundImage: "none",
          borderColor: tokens.border,
        },
      },
      { dark: isDark },
    ),
  ];
}
