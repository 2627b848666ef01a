import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
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
import { Box } from "@mui/material";
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { type Translate, useText } from "../../../i18n";
import { nonce } from "../../../nonce";
import { useTokens } from "../../../theme/theme";
import { dark, MONOSPACE, type Tokens } from "../../../theme/tokens";

export interface CodeMirrorProps {
  label: string;
  language: "html" | "json";
  value: string;
  onChange: (value: string) => void;
  readOnly?: boolean;
  height: number;
}

const LANGUAGES = {
  // A closing tag that appears by itself is soon typed a second time.
  html: () => html({ autoCloseTags: false }),
  json,
};

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
    syntaxHighlighting(isDark ? oneDarkHighlightStyle : readable(tokens)),
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

/** CodeMirror's own colours, but the red of invalid tags, which is too light on white. */
function readable({ bad }: Tokens): HighlightStyle {
  return HighlightStyle.define(
    defaultHighlightStyle.specs.map((spec) =>
      spec.color === "#f00" ? { ...spec, color: bad } : spec,
    ),
  );
}

/** The words of the editor's search panel in the reader's language, by CodeMirror's own words. */
function usePhrases(): Record<string, string> {
  const t = useText();
  return useMemo(() => phrases(t), [t]);
}

function phrases(t: Translate): Record<string, string> {
  return {
    Find: t("pages.editor.find"),
    Replace: t("pages.editor.replaceWith"),
    next: t("pages.editor.next"),
    previous: t("pages.editor.previous"),
    all: t("pages.editor.all"),
    "match case": t("pages.editor.matchCase"),
    regexp: t("pages.editor.regexp"),
    "by word": t("pages.editor.byWord"),
    replace: t("pages.editor.replace"),
    "replace all": t("pages.editor.replaceAll"),
    close: t("common.close"),
  };
}
