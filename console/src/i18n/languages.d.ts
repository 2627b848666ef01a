/** The texts of one language; those of the other are empty. See `scripts/oneLanguage.ts`. */
declare module "*/parts?language=en" {
  export const parts: Record<string, { en: import("./types").Texts; ru: object }>;
}

declare module "*/parts?language=ru" {
  export const parts: Record<string, { en: object; ru: import("./types").Texts }>;
}
