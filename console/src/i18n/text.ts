import { useTranslate } from "react-admin";
import type { TextKey } from "./parts";

export type { TextKey };

export type Translate = (key: TextKey, values?: Record<string, unknown>) => string;

/** Translates a key; a key that does not exist does not compile. */
export function useText(): Translate {
  return useTranslate();
}
