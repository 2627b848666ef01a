/** A tree of texts. A text may have forms for numbers, separated by `||||`. */
export interface Texts {
  [key: string]: string | Texts;
}

/** The same keys as in English, with other words. */
export type Translated<T> = { [K in keyof T]: T[K] extends string ? string : Translated<T[K]> };

/** The texts of one part of the console in both languages. English decides which texts there are. */
export function texts<const T extends Texts>(en: T, ru: Translated<T>): Both<T> {
  return { en, ru };
}

export interface Both<T> {
  en: T;
  ru: Translated<T>;
}

/** All paths to a text, such as `users.status.blocked`. */
export type Path<T> = {
  [K in keyof T & string]: T[K] extends string ? K : `${K}.${Path<T[K]>}`;
}[keyof T & string];

/** The texts of all parts in one language. */
export function inLanguage<L extends "en" | "ru">(
  parts: Record<string, { [K in L]: Texts }>,
  language: L,
): Texts {
  return Object.fromEntries(Object.entries(parts).map(([part, both]) => [part, both[language]]));
}
