import { inertHtml, withoutRefusedAttributes } from "../inert";
import { BLOCKS, isBlock } from "./document";
import { isSafeImage, isSafeLink } from "./urls";

/**
 * The elements that are kept of pasted HTML, and their attributes. Marks such as bold have rules of their
 * own. Of everything else, the text is kept.
 */
const KEPT: Record<string, string[]> = {
  p: [],
  h1: [],
  h2: [],
  h3: [],
  h4: [],
  h5: [],
  h6: [],
  ul: [],
  ol: ["start"],
  li: [],
  blockquote: [],
  pre: [],
  code: [],
  br: [],
  hr: [],
  a: ["href"],
  img: ["src", "alt", "width", "height"],
  table: [],
  thead: [],
  tbody: [],
  tr: [],
  th: ["colspan", "rowspan"],
  td: ["colspan", "rowspan"],
};

/** Images of elements in a document that no window shows are not loaded. */
const inert = document.implementation.createHTMLDocument();

const DROPPED =
  "style, script, noscript, template, title, meta, link, xml, iframe, object, embed, svg, math, " +
  "form, input, select, textarea, button, audio, video";

/**
 * Cleans HTML from the clipboard: what a text is stays (headings, lists, bold), how it looked goes
 * (fonts, colours, classes). Lists of Word, which are paragraphs with a style, become lists.
 */
export function cleanPasted(html: string): string {
  // Copied in the visual editor itself, which reads nothing that it does not know.
  if (html.includes("data-pm-slice")) {
    return withoutRefusedAttributes(html);
  }
  const [, fragment = html] = /<!--StartFragment-->([^]*?)<!--EndFragment-->/i.exec(html) ?? [];
  const template = inertHtml(fragment);
  const { content } = template;
  content.querySelectorAll(DROPPED).forEach((element) => element.remove());
  makeLists(content);
  const result = inert.createElement("template");
  result.content.append(...clean(content, false));
  return result.innerHTML;
}

/** The clean form of what is inside an element, whose style may keep line breaks. */
function clean(parent: Node, keepsLines: boolean): Node[] {
  return [...parent.childNodes].flatMap((child) => {
    if (child.nodeType === child.TEXT_NODE) {
      return keepsLines ? withBreaks(child) : [child.cloneNode()];
    }
    return child instanceof Element ? cleanElement(child, keepsLines) : [];
  });
}

function cleanElement(element: Element, keepsLines: boolean): Node[] {
  const style = stylesOf(element);
  const { localName } = element;
  if (/^ignore$/i.test(style.get("mso-list") ?? "")) {
    return [];
  }
  if (style.get("mso-spacerun") === "yes") {
    return [inert.createTextNode(" ")];
  }
  if (localName === "img") {
    return cleanImage(element);
  }
  const whiteSpace = style.get("white-space");
  const keepsOwn = whiteSpace === undefined ? keepsLines : /^(pre|break-spaces)/.test(whiteSpace);
  // In `pre` they are kept as they are.
  const inside = clean(element, keepsOwn && element.closest("pre") === null);
  const marked = marksOf(element, style).reduceRight((content, mark) => {
    return content.some(isBlock) || isEmpty(content) ? content : [wrap(mark, content)];
  }, inside);

  if (localName === "div") {
    return marked.some(isBlock) || isEmpty(marked) ? marked : [wrap("p", marked)];
  }
  const attributes = KEPT[localName];
  if (attributes === undefined) {
    return marked;
  }
  if (/^(p|h[1-6])$/.test(localName) && isEmpty(marked)) {
    return [];
  }
  if (localName === "a" && !isSafeLink(element.getAttribute("href") ?? "javascript:")) {
    return marked;
  }
  const kept = wrap(localName, marked);
  copyAttributes(element, kept, attributes);
  return [kept];
}

/** Emoji of chats are images whose description is the character. */
function cleanImage(image: Element): Node[] {
  const alt = image.getAttribute("alt") ?? "";
  const src = image.getAttribute("src") ?? "";
  if (/\bemoji\b/i.test(image.className) || image.getAttribute("data-type") === "emoji") {
    return [inert.createTextNode(alt)];
  }
  // A local file, or one inside the text, which would fill the page.
  if (src === "" || !isSafeImage(src)) {
    return [];
  }
  const kept = inert.createElement("img");
  copyAttributes(image, kept, KEPT.img ?? []);
  return [kept];
}

/** The marks that an element stands for, by its style or else by its name. */
function marksOf(element: Element, style: Map<string, string>): string[] {
  const { localName } = element;
  if (BLOCKS.has(localName)) {
    return [];
  }
  const weight = style.get("font-weight");
  const slant = style.get("font-style");
  const decoration = style.get("text-decoration-line") ?? style.get("text-decoration") ?? "";
  const isBold = weight === undefined ? /^(b|strong)$/ : /^(bold|[6-9]00)/;
  const isItalic = slant === undefined ? /^(i|em)$/ : /^(italic|oblique)/;
  const marks = {
    // The style of headings is bold already.
    strong: isBold.test(weight ?? localName) && element.closest(HEADINGS) === null,
    em: isItalic.test(slant ?? localName),
    // So are links underlined.
    u: localName === "u" || (decoration.includes("underline") && element.closest("a") === null),
    s: /^(s|del|strike)$/.test(localName) || decoration.includes("line-through"),
  };
  return Object.entries(marks).flatMap(([name, is]) => (is ? [name] : []));
}

const HEADINGS = "h1, h2, h3, h4, h5, h6, th";

function stylesOf(element: Element): Map<string, string> {
  const source = element.getAttribute("data-style") ?? element.getAttribute("style") ?? "";
  return new Map(
    source.split(";").map((rule) => {
      const [name = "", ...value] = rule.split(":");
      return [name.trim().toLowerCase(), value.join(":").trim().toLowerCase()] as const;
    }),
  );
}

/**
 * Turns Word's lists into lists. Word writes each item as a paragraph with `mso-list` in its style,
 * which names the level, and with its bullet or number as text.
 */
function makeLists(content: DocumentFragment): void {
  /** The lists that are open, the outermost first. */
  let open: Element[] = [];
  let previous: Element | null = null;
  for (const paragraph of content.querySelectorAll("p, h1, h2, h3, h4, h5, h6")) {
    const list = /\blevel(\d)/.exec(stylesOf(paragraph).get("mso-list") ?? "");
    if (list === null) {
      continue;
    }
    const level = Number(list[1]);
    // Another list begins where something else comes between two items.
    if (previous === null || paragraph.previousElementSibling !== previous) {
      open = [];
    }
    const name = isNumbered(paragraph) ? "ol" : "ul";
    open = open.slice(0, open[level - 1]?.localName === name ? level : level - 1);
    while (open.length < level) {
      const next = inert.createElement(name);
      const outer = open.at(-1);
      if (outer === undefined) {
        paragraph.before(next);
      } else {
        (outer.lastElementChild ?? outer.appendChild(inert.createElement("li"))).append(next);
      }
      open.push(next);
    }
    const item = inert.createElement("li");
    item.append(...paragraph.childNodes);
    paragraph.remove();
    open.at(-1)?.append(item);
    previous = open[0] ?? null;
  }
}

function isNumbered(paragraph: Element): boolean {
  const marker = [...paragraph.querySelectorAll("*")].find(
    (one) => stylesOf(one).get("mso-list") === "ignore",
  );
  return /^\s*\(?([0-9]+|[a-z]|[ivxlc]+)[.)]/i.test(marker?.textContent ?? "");
}

/** A text with a tag for each line break, except beside blocks, which begin a line anyway. */
function withBreaks(text: ChildNode): Node[] {
  const isBeside = (node: Node | null) => node !== null && isBlock(node);
  const content = (text.textContent ?? "")
    .replace(isBeside(text.previousSibling) ? /^\n+/ : "", "")
    .replace(isBeside(text.nextSibling) ? /\n+$/ : "", "");
  return content.split("\n").flatMap((line, index) => {
    const words = line === "" ? [] : [inert.createTextNode(line)];
    return index === 0 ? words : [inert.createElement("br"), ...words];
  });
}

function wrap(name: string, content: Node[]): Element {
  const parent = inert.createElement(name);
  parent.append(...content);
  return parent;
}

function copyAttributes(from: Element, to: Element, names: string[]): void {
  for (const name of names) {
    const value = from.getAttribute(name);
    if (value !== null) {
      to.setAttribute(name, value);
    }
  }
}

function isEmpty(nodes: Node[]): boolean {
  return nodes.every(
    (node) =>
      (node.textContent ?? "").trim() === "" &&
      !(
        node instanceof Element &&
        (node.localName === "img" || node.querySelector("img") !== null)
      ),
  );
}
