import { useText } from "../../../i18n";
import { cut, excerpt } from "../excerpt";
import { type Block, imageOf, kindOf } from "./draft";

const LENGTH = 40;

/** A short name of a block, for buttons and announcements: its kind and how it begins. */
export function useBlockName(): (block: Block) => string {
  const t = useText();
  return (block) => {
    const kind = kindOf(block.type);
    const name = kind === "other" ? block.type : t(`pages.blocks.kinds.${kind}`);
    const start = cut(summary(block), LENGTH);
    return start === "" ? name : `${name}: ${start}`;
  };
}

/** What a block contains, in a line. */
export function summary(block: Block): string {
  switch (kindOf(block.type)) {
    case "text":
      return excerpt(String(block.content), 200);
    case "image": {
      const { url, alt } = imageOf(block.content);
      return alt === "" ? url : alt;
    }
    case "other":
      return cut(JSON.stringify(block.content), 200);
  }
}
