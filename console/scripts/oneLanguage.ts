import type { Plugin } from "vite";

const LANGUAGES = ["en", "ru"];
const WANTED = /\?language=(\w+)$/;

interface Node {
  type: string;
  start: number;
  end: number;
  callee?: { name?: string };
  arguments?: Node[];
}

/** The language whose keys code looks up. */
const OF_KEYS = "en";

/**
 * Serves `parts.ts?language=ru`: the texts of every part, in this language alone. Files have the
 * texts in both languages beside each other, so that one is not forgotten; a browser needs one.
 * Code that imports a file of texts itself looks up its keys, so a build gives it English alone.
 */
export function oneLanguage(): Plugin {
  let isBuild = false;
  return {
    name: "one-language",

    configResolved({ command }) {
      isBuild = command === "build";
    },

    resolveId: {
      order: "pre",
      async handler(source, importer) {
        const query = WANTED.exec(importer ?? "")?.[0];
        if (importer === undefined || query === undefined || !source.startsWith(".")) {
          return null;
        }
        const found = await this.resolve(source, importer.replace(WANTED, ""), { skipSelf: true });
        return found === null ? null : found.id + query;
      },
    },

    transform(code, id) {
      const keys = isBuild && code.includes("texts(") && id.includes("/src/") ? OF_KEYS : undefined;
      const language = WANTED.exec(id)?.[1] ?? keys;
      if (language === undefined) {
        return null;
      }
      let kept = code;
      // From the end on, so that the positions before stay the same.
      for (const { start, end } of others(this.parse(code), language).reverse()) {
        kept = `${kept.slice(0, start)}{}${kept.slice(end)}`;
      }
      return { code: kept, map: null };
    },
  };
}

/** The arguments of `texts(en, ru)` in other languages, in their order. */
function others(tree: unknown, language: string): Node[] {
  if (typeof tree !== "object" || tree === null) {
    return [];
  }
  const { type, callee, arguments: given = [] } = tree as Node;
  return type === "CallExpression" && callee?.name === "texts"
    ? given.filter((_, index) => LANGUAGES[index] !== language)
    : Object.values(tree).flatMap((part) => others(part, language));
}
