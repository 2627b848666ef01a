import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import raEnglish from "ra-language-english";
import { describe, expect, test } from "vitest";
import { parts } from "./parts";
import { raRussian } from "./react-admin.ru";

const SRC = fileURLToPath(new URL("..", import.meta.url));

interface Tree {
  [key: string]: string | Tree | undefined;
}

/** All texts of a tree, by their full keys. */
function flat(tree: Tree, prefix = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === "string") {
      found.set(prefix + key, value);
    } else if (value !== undefined) {
      flat(value, `${prefix}${key}.`).forEach((text, path) => found.set(path, text));
    }
  }
  return found;
}

function own(language: "en" | "ru"): Map<string, string> {
  const trees = Object.entries(parts).map(([part, both]) => [part, both[language]] as const);
  return flat(Object.fromEntries(trees));
}

const placeholders = (text: string) =>
  [...new Set([...text.matchAll(/%\{(\w+)\}/g)].map(([, name]) => name ?? ""))].sort();
const forms = (text: string) => text.split("||||").length;

describe.each([
  ["the console", own("en"), own("ru")],
  ["react-admin", flat(raEnglish), flat(raRussian)],
])("the texts of %s", (_, en, ru) => {
  test("both languages have the same keys", () => {
    expect([...ru.keys()].sort()).toEqual([...en.keys()].sort());
  });

  test("no text is empty", () => {
    const empty = [...en, ...ru].filter(([, text]) => text === "").map(([key]) => key);
    expect(empty).toEqual([]);
  });

  test("texts with a number have 2 forms in English and 3 in Russian", () => {
    const wrong = [...en].flatMap(([key, text]) => {
      const found = [forms(text), forms(ru.get(key) ?? "")];
      return ["1,1", "2,3"].includes(String(found)) ? [] : [`${key}: ${String(found)}`];
    });
    expect(wrong).toEqual([]);
  });
});

describe("placeholders", () => {
  test("are the same in both languages", () => {
    const ru = own("ru");
    for (const [key, text] of own("en")) {
      expect(placeholders(ru.get(key) ?? ""), key).toEqual(placeholders(text));
    }
  });

  test("of react-admin are among those that it fills", () => {
    const english = flat(raEnglish);
    for (const [key, text] of flat(raRussian)) {
      const filled = [...placeholders(english.get(key) ?? ""), "smart_count"];
      expect(filled, key).toEqual(expect.arrayContaining(placeholders(text)));
    }
  });

  test("texts with several forms have the number that decides", () => {
    const several = [...own("en"), ...own("ru")].filter(([, text]) => forms(text) > 1);
    expect(several.filter(([, text]) => !text.includes("%{smart_count}"))).toEqual([]);
  });
});

test("every text is used", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  const code = files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => readFileSync(join(SRC, file), "utf8"))
    .join("\n");
  const quoted = new Set([...code.matchAll(/["'`]([\w.]+)["'`]/g)].map(([, key]) => key));
  // `users.status.${status}` uses every text below `users.status`.
  const templates = [...code.matchAll(/`(\w+\.(?:[\w.]|\$\{[^`}]+\})*)`/g)]
    .map(([, template = ""]) => template)
    .filter((template) => template.includes("${"))
    .map((template) => {
      const fixed = template.split(/\$\{[^}]+\}/).map((piece) => piece.replaceAll(".", "\\."));
      return new RegExp(`^${fixed.join(".+")}$`);
    });
  const unused = [...own("en").keys()].filter(
    (key) => !quoted.has(key) && !templates.some((template) => template.test(key)),
  );
  expect(unused).toEqual([]);
});
