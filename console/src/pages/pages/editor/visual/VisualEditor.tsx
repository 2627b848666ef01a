import { Editor } from "@tiptap/core";
import type { Node } from "@tiptap/pm/model";
import { EditorState } from "@tiptap/pm/state";
import { Box } from "@mui/material";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { tagProblems } from "../tags";
import { readHtml, writeHtml } from "./document";
import { lossesOf } from "./losses";
import { cleanPasted } from "./paste";
import { EXTENSIONS } from "./schema";
import { useLook } from "./look";
import { Toolbar } from "./Toolbar";

export interface VisualEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** HTML that may be changed although not all of it is kept. */
  agreed: string | null;
  /** Called instead of showing HTML that would not be kept, with the names of what would be lost. */
  onUnfit: (losses: string[]) => void;
  height: number;
}

/** Edits HTML as it looks. The HTML stays as it is, byte for byte, until something is changed. */
export default function VisualEditor(props: VisualEditorProps) {
  const { label, value, agreed, height } = props;
  const look = useLook();
  const place = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const change = useEffectEvent(props.onChange);
  const refuse = useEffectEvent(props.onUnfit);
  /** What was loaded, and what it was read as. */
  const loaded = useRef<{ html: string; doc: Node } | null>(null);
  /** What was loaded or written last. Another value comes from outside. */
  const known = useRef<string | null>(null);

  useEffect(() => {
    const made = new Editor({
      element: place.current,
      extensions: EXTENSIONS,
      // The Content-Security-Policy refuses it. `useLook` has what is needed of it.
      injectCSS: false,
      editorProps: {
        attributes: { role: "textbox", "aria-multiline": "true", "aria-label": label },
        transformPastedHTML: cleanPasted,
      },
      onUpdate: ({ editor: { state } }) => {
        const isAsLoaded = loaded.current?.doc.eq(state.doc) === true;
        known.current = isAsLoaded ? (loaded.current?.html ?? "") : writeHtml(state.doc);
        change(known.current);
      },
    });
    setEditor(made);
    return () => {
      known.current = null;
      made.destroy();
    };
  }, [label]);

  useEffect(() => {
    if (editor === null || editor.isDestroyed || value === known.current) {
      return;
    }
    known.current = value;
    // It would also repair unbalanced tags, in the way of browsers.
    const losses = lossesOf(value, editor.schema) ?? (tagProblems(value).length > 0 ? [] : null);
    if (losses !== null && value !== agreed) {
      refuse(losses);
      return;
    }
    const doc = readHtml(value, editor.schema);
    loaded.current = { html: value, doc };
    // A new state has no history: undoing never brings back what another person has replaced.
    editor.view.updateState(EditorState.create({ doc, plugins: editor.state.plugins }));
    editor.view.dispatch(editor.state.tr);
  }, [editor, value, agreed]);

  return (
    <Box sx={look}>
      {editor !== null && <Toolbar editor={editor} />}
      <Box ref={place} sx={{ height, overflow: "auto" }} />
    </Box>
  );
}
