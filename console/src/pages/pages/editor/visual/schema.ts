import { Extension, type Extensions, type Mark } from "@tiptap/core";
import { Image } from "@tiptap/extension-image";
import { Table, TableCell, TableHeader, TableRow } from "@tiptap/extension-table";
import { Bold } from "@tiptap/extension-bold";
import { Code } from "@tiptap/extension-code";
import { Italic } from "@tiptap/extension-italic";
import { Strike } from "@tiptap/extension-strike";
import { StarterKit } from "@tiptap/starter-kit";
import { isSafeLink } from "./urls";

/** The elements that a person can write in the visual editor, and what it keeps of them. */
export const EXTENSIONS: Extensions = [
  StarterKit.configure({
    bold: false,
    italic: false,
    strike: false,
    code: false,
    // It would add an empty paragraph to every page that ends with something else.
    trailingNode: false,
    link: {
      autolink: false,
      openOnClick: false,
      defaultProtocol: "https",
      HTMLAttributes: { target: null, rel: null, class: null },
      isAllowedUri: isSafeLink,
    },
  }),
  withOwnTag(Bold, "strong"),
  withOwnTag(Italic, "em"),
  withOwnTag(Strike, "s"),
  // By default nothing else may be code: not a link, and not bold text.
  Code.extend({ excludes: "" }),
  imageWithoutSource(),
  tableWithoutStyles(),
  TableRow,
  TableCell,
  TableHeader,
  Extension.create({ name: "keptAttributes", addGlobalAttributes: keptAttributes }),
];

/** Keeps the tag of a mark that can be written in several ways, such as `b` and `strong`. */
function withOwnTag(mark: Mark, usual: string): Mark {
  return mark.extend({
    addAttributes: () => ({
      tag: {
        default: usual,
        rendered: false,
        parseHTML: (element: HTMLElement) => element.localName,
      },
    }),
    renderHTML: ({ mark, HTMLAttributes }) => [String(mark.attrs.tag), HTMLAttributes, 0],
  });
}

/**
 * Shows an image as its description: the Content-Security-Policy lets the console load images of
 * its own only.
 */
function imageWithoutSource() {
  return Image.extend({
    addNodeView: () => (props) => {
      const { src, alt } = props.node.attrs as { src: string; alt: string | null };
      const text = alt === null || alt === "" ? src : alt;
      if (src.startsWith("data:image/")) {
        return { dom: Object.assign(document.createElement("img"), { src, alt: text }) };
      }
      const dom = document.createElement("span");
      dom.className = "image";
      dom.role = "img";
      dom.ariaLabel = text;
      dom.textContent = text;
      return { dom };
    },
  }).configure({ inline: true, allowBase64: true });
}

/** By default a table has a style that sets the widths of its columns. */
function tableWithoutStyles() {
  return Table.extend({
    addAttributes() {
      return {
        ...this.parent?.(),
        /** Whether rows of headers at the top are written as `thead`. */
        hasHead: {
          default: true,
          rendered: false,
          parseHTML: (element: HTMLElement) => element.querySelector(":scope > thead") !== null,
        },
      };
    },
    renderHTML: ({ node, HTMLAttributes }) => [
      "table",
      { ...HTMLAttributes, ...(node.attrs.hasHead === true && { "data-head": "" }) },
      ["tbody", 0],
    ],
  });
}

const BLOCKS = [
  "paragraph",
  "heading",
  "bulletList",
  "orderedList",
  "listItem",
  "blockquote",
  "codeBlock",
  "horizontalRule",
  "table",
  "tableRow",
  "tableCell",
  "tableHeader",
];

function keptAttributes() {
  const plain = { default: null, keepOnSplit: false };
  return [
    { types: [...BLOCKS, "image"], attributes: { id: plain, class: plain } },
    {
      types: ["paragraph"],
      attributes: {
        /** How it was written, if not as is usual where it is. `document.ts` reads and writes it. */
        form: {
          default: null,
          parseHTML: (element: HTMLElement) => element.getAttribute("data-form"),
          renderHTML: ({ form }: Record<string, unknown>) =>
            form === null ? {} : { "data-form": form },
        },
      },
    },
  ];
}
