/**
 * Makes a document for the preview out of what a person wrote. The preview inherits the console's
 * Content-Security-Policy, which accepts only styles that carry the nonce and only images of the
 * console itself. So styles are given the nonce, style attributes become a style sheet, and what
 * would be refused anyway is taken out.
 */
export function previewDocument(html: string, nonce: string | undefined): string {
  const template = Object.assign(document.createElement("template"), {
    innerHTML: withoutRefusedAttributes(html),
  });
  const { content } = template;
  content.querySelectorAll(REFUSED).forEach((element) => element.remove());
  content.querySelectorAll("img, source, video, audio").forEach(withoutForeignSource);
  const rules = [...content.querySelectorAll("[data-style]")].map(ruleOf);
  content.querySelectorAll("style").forEach((style) => {
    style.textContent = withoutForeignUrls(style.textContent);
    style.setAttribute("nonce", nonce ?? "");
  });
  const sheet = `<style nonce="${nonce ?? ""}">${BASE}\n${rules.join("\n")}</style>`;
  return `<!doctype html><meta charset="utf-8">${sheet}<body>${template.innerHTML}</body>`;
}

const REFUSED = "script, link, meta, base, iframe, frame, object, embed";

const BASE = `
:root { color-scheme: light; background: #ffffff; color: #171b24 }
body { margin: 16px; font: 15px/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
img { max-width: 100%; height: auto }
img:not([src]) { padding: 8px 12px; border: 1px dashed #8b93a3; border-radius: 8px; color: #596274 }
table { border-collapse: collapse }
td, th { padding: 4px 10px; border: 1px solid #e1e5eb }
`;

/**
 * Renames style attributes and handlers. Parsing them would be refused already, and each refusal
 * would be reported as a violation of the policy.
 */
function withoutRefusedAttributes(html: string): string {
  return html.replace(/<[a-z][^>]*>/gi, (tag) =>
    tag.replace(/([\s"'/])(style|on[a-z]+)(?=\s*=)/gi, "$1data-$2"),
  );
}

/** A rule that counts more than any selector of a style sheet, as a style attribute does. */
function ruleOf(element: Element, index: number): string {
  const style = withoutForeignUrls(element.getAttribute("data-style") ?? "").replace(/[{}<]/g, "");
  element.setAttribute("data-style", String(index));
  return `[data-style="${index}"]:not(#a):not(#b):not(#c) { ${style} }`;
}

function withoutForeignUrls(css: string): string {
  return css.replace(/@import[^;]*;?/gi, "").replace(/url\(\s*(?!["']?data:)[^)]*\)/gi, "none");
}

function withoutForeignSource(element: Element): void {
  element.removeAttribute("srcset");
  const source = element.getAttribute("src") ?? "";
  if (!source.startsWith("data:image/")) {
    element.removeAttribute("src");
    const alt = element.getAttribute("alt") ?? "";
    element.setAttribute("alt", alt === "" ? source : alt);
  }
}
