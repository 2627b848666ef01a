import { parts } from "./parts?language=ru";
import { raRussian } from "./react-admin.ru";
import { inLanguage, type Texts } from "./types";

export const messages: Texts = { ...(raRussian as object), ...inLanguage(parts, "ru") };
