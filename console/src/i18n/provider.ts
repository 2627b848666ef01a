import type { I18nProvider } from "react-admin";
import { retried } from "../retried";
import { formatOf } from "./format";
import { translate } from "./translate";
import type { Texts } from "./types";

type Language = "en" | "ru";

export const LANGUAGES = [
  { locale: "en", name: "English" },
  { locale: "ru", name: "Русский" },
];

const LOAD: Record<Language, () => Promise<{ messages: Texts }>> = {
  en: () => import("./en"),
  ru: () => import("./ru"),
};

let language: Language = "en";
let messages: Texts = {};

/** The language that was chosen before, otherwise the browser's. */
export function firstLanguage(chosen: string | undefined): Language {
  return (chosen ?? navigator.language).startsWith("ru") ? "ru" : "en";
}

/** Gives react-admin the texts. Those of a language are loaded when it is first shown. */
export const i18nProvider: I18nProvider = {
  translate: (key, values = {}) => translate(messages, formatOf(language), key, values),

  async changeLocale(wanted) {
    const next = wanted === "ru" ? "ru" : "en";
    ({ messages } = await retried(LOAD[next]));
    language = next;
  },

  getLocale: () => language,

  getLocales: () => LANGUAGES,
};
