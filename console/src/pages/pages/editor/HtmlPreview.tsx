import { Box, Typography } from "@mui/material";
import { useMemo } from "react";
import { useText } from "../../../i18n";
import { nonce } from "../../../nonce";
import { inertHtml } from "./inert";

/** What HTML looks like. It runs no script and reaches nothing of the console. */
export function HtmlPreview({ html, height }: { html: string; height: number }) {
  const t = useText();
  const source = useMemo(() => previewDocument(html, nonce), [html]);
  return (
    <Box>
      <Box
        component="iframe"
        title={t("pages.editor.preview")}
        sandbox=""
        srcDoc={source}
        sx={{
          display: "block",
          width: "100%",
          height,
          border: 1,
          borderColor: "divider",
          borderRadius: 1,
          bgcolor: "#ffffff",
        }}
      />
      <Typography variant="caption" color="textSecondary">
        {t("pages.editor.previewHint")}
      </Typography>
    </Box>
  );
}

/**
 * Makes a document for the preview out of what a person wrote. The preview inherits the console's
 * Content-Security-Policy, which accepts only styles that carry the nonce and only images of the
 * console itself. So styles are given the nonce, style attributes become a style sheet, and what
 * would be refused anyway is taken out.
 */
function previewDocument(html: string, nonce: string | undefined): string {
  const template = inertHtml(html);
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
