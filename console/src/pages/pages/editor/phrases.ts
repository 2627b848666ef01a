import { useMemo } from "react";
import { type Translate, useText } from "../../../i18n";

/** The words of the editor's search panel in the reader's language, by CodeMirror's own words. */
export function usePhrases(): Record<string, string> {
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
