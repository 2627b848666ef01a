import raEnglish from "ra-language-english";
import { parts } from "./parts?language=en";
import { inLanguage, type Texts } from "./types";

export const messages: Texts = { ...(raEnglish as object), ...inLanguage(parts, "en") };
