import type { Schemas } from "../../../api/client";

export type Block = Schemas["PageBlock"];
export type NewBlock = Pick<Schemas["NewPageBlock"], "type" | "content">;
type Content = NewBlock["content"];

/** The kinds of blocks with a form of their own. Every other one is edited as JSON. */
export const KINDS = ["text", "image", "other"] as const;
export type Kind = (typeof KINDS)[number];

/** What the form of a block holds. All kinds are kept, so that changing the kind loses nothing. */
export interface Draft {
  kind: Kind;
  html: string;
  image: { url: string; alt: string; width: string; height: string };
  other: { type: string; json: string };
}

export const EMPTY: Draft = {
  kind: "text",
  html: "",
  image: { url: "", alt: "", width: "", height: "" },
  other: { type: "", json: "{}" },
};

export function kindOf(type: string): Kind {
  return type === "text" || type === "image" ? type : "other";
}

export function draftOf(block: Block): Draft {
  const kind = kindOf(block.type);
  switch (kind) {
    case "text":
      return { ...EMPTY, kind, html: String(block.content) };
    case "image": {
      const { url, alt, width, height } = imageOf(block.content);
      return { ...EMPTY, kind, image: { url, alt, width: String(width), height: String(height) } };
    }
    case "other": {
      const json = JSON.stringify(block.content, null, 2);
      return { ...EMPTY, kind, other: { type: block.type, json } };
    }
  }
}

interface Image {
  url: string;
  alt: string;
  width: number;
  height: number;
}

/** The service stores the content of an image with exactly these fields. */
export function imageOf(content: unknown): Image {
  return content as Image;
}

/** What is wrong with a draft before it is sent, by the field that shows it. */
type DraftFault = { field: "json" | "width" | "height"; reason: string | null };

type Result = { block: NewBlock } | { fault: DraftFault };

/** What to send for a draft. */
export function blockOf({ kind, html, image, other }: Draft): Result {
  switch (kind) {
    case "text":
      return { block: { type: kind, content: html } };
    case "image": {
      const width = pixels(image.width);
      const height = pixels(image.height);
      if (width === null || height === null) {
        return { fault: { field: width === null ? "width" : "height", reason: null } };
      }
      const content: Image = { url: image.url, alt: image.alt, width, height };
      // The API describes the content of every kind, not the fields of this one.
      return { block: { type: kind, content: content as unknown as Content } };
    }
    case "other": {
      const parsed = parseJson(other.json);
      return "reason" in parsed
        ? { fault: { field: "json", reason: parsed.reason } }
        : { block: { type: other.type, content: parsed.value } };
    }
  }
}

function pixels(text: string): number | null {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : null;
}

/** Reads JSON. `reason` says what is wrong; `null` is no content that a block can have. */
export function parseJson(text: string): { value: Content } | { reason: string } {
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? { reason: "null" } : { value: value as Content };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : "" };
  }
}

/** A list with one element at another position. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
