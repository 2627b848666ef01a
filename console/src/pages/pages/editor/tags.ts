/** A tag without its other half. */
export interface TagProblem {
  line: number;
  /** As it is written, without attributes. */
  tag: string;
  kind: "unclosed" | "stray";
}

const VOID = /^(area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;

/** HTML lets authors leave these open: the next one, or the end of what they are in, closes them. */
const MAY_STAY_OPEN =
  /^(p|li|dt|dd|option|optgroup|tr|td|th|thead|tbody|tfoot|colgroup|caption|rt|rp)$/;

/** What they contain is text, up to their closing tag. */
const RAW = /^(script|style|textarea|title)$/;

const TOKEN = /<!--[^]*?(?:-->|$)|<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)(>|$)/gi;

/** The most faults to show at once. */
const MOST = 20;

/** The tags that are not closed, or that close nothing, in the order of their lines. */
export function tagProblems(html: string): TagProblem[] {
  const problems: TagProblem[] = [];
  const open: { name: string; line: number }[] = [];
  /** How many SVG drawings and formulas are open. In them `<x/>` is closed. */
  const foreign = () => open.some(({ name }) => name === "svg" || name === "math");
  const leave = (element: { name: string; line: number }) => {
    if (!MAY_STAY_OPEN.test(element.name)) {
      problems.push({ line: element.line, tag: `<${element.name}>`, kind: "unclosed" });
    }
  };

  let line = 1;
  let counted = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(html); found !== null; found = TOKEN.exec(html)) {
    const [, slash, name, attributes = "", end] = found;
    if (name === undefined) {
      continue;
    }
    line += html.slice(counted, found.index).split("\n").length - 1;
    counted = found.index;
    const tag = name.toLowerCase();
    if (end === "") {
      problems.push({ line, tag: `<${slash ?? ""}${tag}`, kind: "unclosed" });
    } else if (slash === "/") {
      const from = open.findLastIndex((element) => element.name === tag);
      if (from >= 0) {
        open.splice(from).slice(1).forEach(leave);
      } else {
        problems.push({ line, tag: `</${tag}>`, kind: "stray" });
      }
    } else if (RAW.test(tag)) {
      const close = new RegExp(`</${tag}[\\s/>]`, "gi");
      close.lastIndex = TOKEN.lastIndex;
      const closed = close.exec(html);
      open.push({ name: tag, line });
      TOKEN.lastIndex = closed?.index ?? html.length;
    } else if (!VOID.test(tag) && !(attributes.endsWith("/") && foreign())) {
      open.push({ name: tag, line });
    }
    if (problems.length >= MOST) {
      break;
    }
  }
  if (problems.length < MOST) {
    open.forEach(leave);
  }
  return problems.sort((a, b) => a.line - b.line).slice(0, MOST);
}
