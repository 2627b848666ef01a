import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { fault } from "./faults";

const CRATES = fileURLToPath(new URL("../../../crates", import.meta.url));

/** What is not code, string literals (2), names of what is called (3), and parentheses. */
const TOKEN =
  /\/\/.*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|'(?:\\[^']+|[^\\'])'|"((?:[^"\\]|\\[\s\S])*)"|(\w+)(?=!?\()|[()]/g;

const TEST_MODULE = /^#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*?^\}/gm;
const TEST_FILE = /(^|[/\\])(tests?|testing)(\.rs|[/\\])/;

/** How faults begin. Some are constants or results, so the text alone has to tell. */
const IS_FAULT = /^(must|is|has|needs) |^\S+ more faults? (is|are) not shown$/;

/** The functions that take a fault. What they are given is one, however it begins. */
const TAKES_FAULT = new Set(["add", "one", "text_that", "check_known"]);

interface Literal {
  text: string;
  /** The calls around it, the innermost last. */
  calls: string[];
}

function literals(source: string): Literal[] {
  const found: Literal[] = [];
  const calls: string[] = [];
  let callee = "";
  for (const [token, , text, name] of source.replace(TEST_MODULE, "").matchAll(TOKEN)) {
    if (name !== undefined) {
      callee = name;
    } else if (token === "(") {
      calls.push(callee);
      callee = "";
    } else if (token === ")") {
      calls.pop();
    } else if (text !== undefined) {
      // A backslash at the end of a line joins it with the next one.
      found.push({ text: text.replace(/\\\r?\n\s*/g, ""), calls: [...calls] });
    }
  }
  return found;
}

const all = ["kernel", "server"].flatMap((crate) => {
  const folder = join(CRATES, crate, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".rs") && !TEST_FILE.test(file));
  return sources.flatMap((file) => literals(readFileSync(join(folder, file), "utf8")));
});

const isGiven = ({ text, calls }: Literal) =>
  /^[a-z].* /.test(text) && calls.some((call) => TAKES_FAULT.has(call));
const faults = all.filter((literal) => IS_FAULT.test(literal.text) || isGiven(literal));
const nouns = all.filter(({ text, calls }) => calls.at(-1) === "items" && /^[a-z]+$/.test(text));

/** What may stand in place of `{names}`; a number for all others. */
const WORDS: Record<string, string> = {
  begins: "http:, https: or mailto",
  handle: "{handle}",
  names: "id, name",
  other: "enabled",
  others: "id, name",
};

function examples(pattern: string): string[] {
  const filled = pattern.replace(
    /\{(?!noun\b)(\w*)[^}]*\}/g,
    (_, name: string) => WORDS[name] ?? "5",
  );
  return filled.includes("{noun}")
    ? nouns.map(({ text }) => filled.replace("{noun}", text))
    : [filled];
}

const messages = [...new Set(faults.flatMap(({ text }) => examples(text)))].sort();

test("the source of the service is read", () => {
  expect(messages.length).toBeGreaterThan(100);
  expect(messages).toContain("must not be blank");
  expect(messages).toContain("must be at most 5 characters long");
  expect(messages).toContain("must hold at most 5 ids");
  expect(messages).toContain("has already been taken");
});

test.each(messages)("“%s” is translated", (message) => {
  const text = fault(message, "ru");
  expect(text).not.toBe(fault(message, "en"));
  expect(text).toMatch(/^[А-ЯЁ].*\.$/);
  expect(text).not.toContain("undefined");
});

describe("in English", () => {
  test("a message becomes a sentence", () => {
    expect(fault("must not be blank", "en")).toBe("Must not be blank.");
  });

  test("an unknown message stays, in every language", () => {
    expect(fault("must be purple", "ru")).toBe("Must be purple.");
  });
});

describe("numbers in Russian", () => {
  test.each([
    ["must be at most 1 characters long", "Длина — не больше 1 символа."],
    ["must be 1 to 64 characters long", "Длина — от 1 до 64 символов."],
    ["must hold 1 to 21 actions", "В списке — от 1 до 21 действия."],
    ["must have at most 4 decimal places", "После запятой — не больше 4 знаков."],
    ["1 more fault is not shown", "Не показана ещё 1 ошибка."],
    ["3 more faults are not shown", "Не показаны ещё 3 ошибки."],
    ["12 more faults are not shown", "Не показано ещё 12 ошибок."],
  ])("%s", (message, text) => expect(fault(message, "ru")).toBe(text));
});
