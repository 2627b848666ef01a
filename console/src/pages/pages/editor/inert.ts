/**
 * Parses HTML that a person wrote without carrying anything out: no script runs and nothing is
 * loaded. Style attributes and handlers are found under names that begin with `data-`.
 */
export function inertHtml(html: string): HTMLTemplateElement {
  const template = document.createElement("template");
  template.innerHTML = withoutRefusedAttributes(html);
  return template;
}

/**
 * Renames style attributes and handlers. The Content-Security-Policy refuses to parse them, and
 * each refusal would be reported as a violation.
 */
export function withoutRefusedAttributes(html: string): string {
  return html.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/([\s"'/])(style|on[a-z]+)(?=\s*=)/gi, "$1data-$2"),
  );
}
