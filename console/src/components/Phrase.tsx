import { Fragment, type ReactNode } from "react";

/** A text whose placeholders are filled with links or other nodes: `%{actor} blocked %{subject}`. */
export function Phrase({ text, nodes }: { text: string; nodes: Record<string, ReactNode> }) {
  return text
    .split(/%\{(\w+)\}/)
    .map((piece, index) => (
      <Fragment key={index}>{index % 2 === 0 ? piece : nodes[piece]}</Fragment>
    ));
}
