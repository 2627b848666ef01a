import { useEffect } from "react";
import { useLocale } from "react-admin";

/** Tells the browser the language of the page: for screen readers, hyphenation and translation. */
export function useDocumentLanguage(): void {
  const locale = useLocale();
  useEffect(() => {
    document.documentElement.lang = locale;
  }, [locale]);
}
