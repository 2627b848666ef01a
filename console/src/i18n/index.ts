import { useEffect } from "react";
import { useLocale } from "react-admin";

export { useErrorText } from "./describe";
export { TIME_ZONE } from "./format";
export { LANGUAGES } from "./provider";
export { type TextKey, type Translate, useText } from "./text";
export { useFormat } from "./useFormat";

/** Tells the browser the language of the page: for screen readers, hyphenation and translation. */
export function useDocumentLanguage(): void {
  const locale = useLocale();
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
}
