import polyglotI18nProvider from "ra-i18n-polyglot";
import raEnglish from "ra-language-english";
import { useTranslate } from "react-admin";
import { parts, type TextKey } from "./parts";
import { raRussian } from "./react-admin.ru";

export type { TextKey };

function language(name: "en" | "ru") {
  return Object.fromEntries(Object.entries(parts).map(([part, both]) => [part, both[name]]));
}

export const MESSAGES = {
  en: { ...raEnglish, ...language("en") },
  ru: { ...raRussian, ...language("ru") },
};

export const LANGUAGES = [
  { locale: "en", name: "English" },
  { locale: "ru", name: "Русский" },
];

const preferred = navigator.language.startsWith("ru") ? "ru" : "en";

export const i18nProvider = polyglotI18nProvider(
  (locale) => MESSAGES[locale === "ru" ? "ru" : "en"],
  preferred,
  LANGUAGES,
  { allowMissing: false },
);

export type Translate = (key: TextKey, values?: Record<string, unknown>) => string;

/** Translates a key; a key that does not exist does not compile. */
export function useText(): Translate {
  return useTranslate();
}
