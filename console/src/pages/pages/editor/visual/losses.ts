import type { Schema } from "@tiptap/pm/model";
import { inertHtml } from "../inert";
import { isBlock, readHtml, writeHtml } from "./document";

/**
 * The elements and attributes that the visual editor would not keep, `null` if it keeps everything.
 * What differs only in white space between blocks or in the order of nested marks is the same.
 */
export function lossesOf(html: string, schema: Schema): string[] | null {
  const before = normalForm(html);
  const after = normalForm(writeHtml(readHtml(html, schema)));
  if (before.parts.length === after.parts.length) {
    if (before.parts.every((part, index) => part === after.parts[index])) {
      return null;
    }
  }
  return [...before.names].flatMap(([name, count]) =>
    count > (after.names.get(name) ?? 0) ? [name] : [],
  );
}

/** A text with the marks around it; without a text, the tag of another element in a line. */
interface Run {
  text: string;
  marks: string;
}

/** HTML in a form in which two sources with the same meaning are equal. */
interface NormalForm {
  parts: string[];
  /** How often each element and attribute occurs. */
  names: Map<string, number>;
}

const MARKS = new Set(["a", "b", "strong", "i", "em", "u", "s", "del", "strike", "code"]);

function normalForm(html: string): NormalForm {
  const parts: string[] = [];
  const names = new Map<string, number>();
  /** What came since the last block began or ended. */
  let line: Run[] = [];

  const count = (name: string) => names.set(name, (names.get(name) ?? 0) + 1);
  const flush = () => {
    parts.push(...collapsed(line));
    line = [];
  };
  const say = (run: Run, isPreformatted: boolean) => {
    if (isPreformatted) {
      parts.push(run.marks + run.text);
    } else {
      line.push(run);
    }
  };

  const walk = (node: Node, marks: string[], isPreformatted: boolean) => {
    for (const child of node.childNodes) {
      if (child.nodeType === child.TEXT_NODE) {
        say({ text: child.textContent ?? "", marks: keyOf(marks) }, isPreformatted);
      } else if (child instanceof Element) {
        visit(child, marks, isPreformatted);
      } else {
        count("<!-- -->");
        say({ text: "", marks: `<!--${child.textContent ?? ""}-->` }, isPreformatted);
      }
    }
  };

  const visit = (element: Element, marks: string[], isPreformatted: boolean) => {
    const { localName } = element;
    const attributes = [...element.attributes].map(({ name, value }) => `${name}="${value}"`);
    const tag = `<${[localName, ...attributes.sort()].join(" ")}>`;
    count(`<${localName}>`);
    [...element.attributes].forEach(({ name }) => count(name.replace(/^data-(style|on)/, "$1")));

    const isMark = MARKS.has(localName) && element.hasChildNodes() && !isPreformatted;
    if (isMark && ![...element.querySelectorAll("*")].some(isBlock)) {
      walk(element, [...marks, tag], false);
      return;
    }
    const isBoundary = isBlock(element) || localName === "br";
    if (isBoundary) {
      flush();
    }
    say({ text: "", marks: keyOf(marks) + tag }, isPreformatted);
    if (isBoundary) {
      flush();
    }
    walk(element, marks, isPreformatted || localName === "pre");
    if (isBoundary) {
      flush();
    }
    say({ text: "", marks: `</${localName}>` }, isPreformatted);
    if (isBoundary) {
      flush();
    }
  };

  walk(inertHtml(html).content, [], false);
  flush();
  return { parts, names };
}

/** The order in which marks are nested has no meaning. */
function keyOf(marks: string[]): string {
  return [...new Set(marks)].sort().join("");
}

/** The texts of one line as a browser shows them: white space is one space, and none at the ends. */
function collapsed(line: Run[]): string[] {
  const parts: Run[] = [];
  let endsWithSpace = true;
  for (const { text, marks } of line) {
    if (text === "") {
      parts.push({ text, marks });
      // An element between two spaces keeps both.
      endsWithSpace = false;
      continue;
    }
    let rest = text.replace(/[ \t\r\n\f]+/g, " ");
    if (endsWithSpace) {
      rest = rest.replace(/^ /, "");
    }
    if (rest !== "") {
      endsWithSpace = rest.endsWith(" ");
      const last = parts.at(-1);
      if (last?.marks === marks && last.text !== "") {
        last.text += rest;
      } else {
        parts.push({ text: rest, marks });
      }
    }
  }
  const last = parts.at(-1);
  if (last !== undefined && last.text !== "") {
    last.text = last.text.replace(/ $/, "");
  }
  return parts
    .filter(({ text, marks }) => text !== "" || marks !== "")
    .map(({ text, marks }) => marks + text);
}
