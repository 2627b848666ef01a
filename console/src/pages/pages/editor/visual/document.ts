import { DOMParser, DOMSerializer, type Node, type Schema } from "@tiptap/pm/model";
import { EditorState } from "@tiptap/pm/state";
import { fixTables } from "@tiptap/pm/tables";
import { inertHtml } from "../inert";

/** Elements that begin a line of their own. Everything else is part of a text. */
export const BLOCKS = new Set(
  (
    "address article aside blockquote caption center colgroup dd details dialog div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol optgroup " +
    "option p pre search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/** Where a single text usually stands without a paragraph around it. */
const USUALLY_BARE = new Set(["li", "td", "th"]);

/** Where a text may stand with or without a paragraph. */
const CONTAINERS = "li, td, th, blockquote";

type Container = Element | DocumentFragment;

export function isBlock(node: globalThis.Node): node is Element {
  return node instanceof Element && BLOCKS.has(node.localName);
}

/** Reads HTML as the visual editor does. */
export function readHtml(html: string, schema: Schema): Node {
  const { content } = inertHtml(html);
  [content, ...content.querySelectorAll(CONTAINERS)].forEach(markParagraphs);
  const doc = DOMParser.fromSchema(schema).parse(content);
  // The editor would do it at the first change.
  return fixTables(EditorState.create({ doc }))?.doc ?? doc;
}

/** Writes what the visual editor holds. */
export function writeHtml(doc: Node): string {
  if (doc.childCount === 1 && doc.firstChild?.type.name === "paragraph" && doc.content.size === 2) {
    return "";
  }
  // Images are not loaded in a document that no window shows.
  const inert = document.implementation.createHTMLDocument();
  const body = inert.body;
  DOMSerializer.fromSchema(doc.type.schema).serializeFragment(
    doc.content,
    { document: inert },
    body,
  );
  body.querySelectorAll("table[data-head]").forEach(moveHead);
  [body, ...body.querySelectorAll(CONTAINERS)].forEach(unmarkParagraphs);
  return lines(body, "");
}

/** Notes which texts stand in a paragraph where they usually do not, and the other way round. */
function markParagraphs(container: Container): void {
  const isUsuallyBare = container instanceof Element && USUALLY_BARE.has(container.localName);
  for (const run of runs(container)) {
    const [first] = run;
    if (first instanceof Element && first.localName === "p") {
      if (isUsuallyBare) {
        first.setAttribute("data-form", "p");
      }
    } else if (!isUsuallyBare && first !== undefined && !isBlock(first) && !run.every(isBlank)) {
      const paragraph = container.ownerDocument?.createElement("p");
      paragraph?.setAttribute("data-form", "bare");
      if (paragraph !== undefined) {
        first.before(paragraph);
        paragraph.append(...run);
      }
    }
  }
}

/** Takes away the paragraphs around texts that stand without one. Two in a row would become one. */
function unmarkParagraphs(container: Element): void {
  const isUsuallyBare = USUALLY_BARE.has(container.localName);
  const isBare = (element: Element | null) => {
    const form = element?.getAttribute("data-form");
    return (
      element?.localName === "p" &&
      [...element.attributes].every(({ name }) => name === "data-form") &&
      (isUsuallyBare ? form !== "p" : form === "bare")
    );
  };
  const bare = [...container.children].filter(
    (child) =>
      isBare(child) && !isBare(child.previousElementSibling) && !isBare(child.nextElementSibling),
  );
  bare.forEach((paragraph) => paragraph.replaceWith(...paragraph.childNodes));
  container.querySelectorAll(":scope > p[data-form]").forEach((paragraph) => {
    paragraph.removeAttribute("data-form");
  });
}

function moveHead(table: Element): void {
  table.removeAttribute("data-head");
  const rows = [...table.querySelectorAll(":scope > tbody > tr")];
  const end = rows.findIndex((row) => row.querySelector(":scope > td") !== null);
  const head = end < 0 ? rows : rows.slice(0, end);
  if (head.length > 0) {
    const element = table.ownerDocument.createElement("thead");
    element.append(...head);
    table.prepend(element);
    table.querySelectorAll(":scope > tbody:empty").forEach((body) => body.remove());
  }
}

/** The content of an element in parts: each block alone, and what stands between blocks together. */
function runs(container: Container): ChildNode[][] {
  const found: ChildNode[][] = [];
  let last: ChildNode[] | null = null;
  for (const node of container.childNodes) {
    if (isBlock(node)) {
      found.push([node]);
      last = null;
    } else if (last === null) {
      last = [node];
      found.push(last);
    } else {
      last.push(node);
    }
  }
  return found;
}

function isBlank(node: globalThis.Node): boolean {
  return (
    node.nodeType === node.COMMENT_NODE ||
    (node.nodeType === node.TEXT_NODE && /^[ \t\r\n\f]*$/.test(node.textContent ?? ""))
  );
}

/** The source of what is inside an element, each block on a line of its own. */
function lines(element: Element, indent: string): string {
  return runs(element)
    .map((run) => {
      const [first] = run;
      if (first === undefined || !isBlock(first)) {
        return indent + sourceOf(run, element);
      }
      if (first.localName === "pre" || ![...first.children].some(isBlock)) {
        return indent + first.outerHTML;
      }
      const end = `</${first.localName}>`;
      const start = (first.cloneNode() as Element).outerHTML.slice(0, -end.length);
      return `${indent}${start}\n${lines(first, `${indent}  `)}\n${indent}${end}`;
    })
    .join("\n");
}

function sourceOf(nodes: ChildNode[], parent: Element): string {
  const box = parent.ownerDocument.createElement("div");
  box.append(...nodes.map((node) => node.cloneNode(true)));
  return box.innerHTML;
}
