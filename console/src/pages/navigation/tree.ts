import type { Schemas } from "../../api/client";

/** A navigation item with its roles, and the entity tag of the version that was read. */
export type Entry = Omit<Schemas["NavbarItemDetail"], "children"> & { tag: string | undefined };

type Node = Pick<Entry, "id" | "parent_id" | "position">;

export interface Tree<N extends Node> {
  get: (id: number) => N | undefined;
  /** The items below one, or those on top, in the order in which they are shown. */
  children: (parent: number | null) => N[];
}

export function treeOf<N extends Node>(nodes: readonly N[]): Tree<N> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byParent = new Map<number | null, N[]>();
  for (const node of nodes.toSorted((a, b) => a.position - b.position || a.id - b.id)) {
    byParent.set(node.parent_id, [...(byParent.get(node.parent_id) ?? []), node]);
  }
  return {
    get: (id) => byId.get(id),
    children: (parent) => byParent.get(parent) ?? [],
  };
}

export interface Move {
  id: number;
  parent: number | null;
  /** Where among its new siblings, without the item itself. */
  index: number;
}

/** The requests that make a move. */
export interface Writes {
  /** New positions, all or nothing. */
  order: { id: number; position: number }[];
  /** The change of the item itself, if it gets another parent. */
  change: { parent_id: number | null; position: number } | null;
}

/** Positions leave room, so that other programs can put items in between. */
const STEP = 10;

/**
 * Siblings are renumbered before the item gets its new parent: if the second request fails,
 * everything is still shown where it was.
 */
export function writesOf<N extends Node>(tree: Tree<N>, { id, parent, index }: Move): Writes {
  const siblings = tree.children(parent).filter((node) => node.id !== id);
  const order = siblings
    .toSpliced(index, 0, ...[tree.get(id)].filter((node) => node !== undefined))
    .map((node, at) => ({ id: node.id, position: (at + 1) * STEP, before: node.position }));
  const change = { parent_id: parent, position: (index + 1) * STEP };
  const hasNewParent = tree.get(id)?.parent_id !== parent;
  return {
    order: order
      .filter((one) => one.position !== one.before && !(hasNewParent && one.id === id))
      .map(({ id, position }) => ({ id, position })),
    change: hasNewParent ? change : null,
  };
}

/** The items after the writes, to show them before they are done. */
export function applied<N extends Node>(nodes: readonly N[], id: number, writes: Writes): N[] {
  const positions = new Map(writes.order.map((one) => [one.id, one.position]));
  return nodes.map((node) => ({
    ...node,
    position: positions.get(node.id) ?? node.position,
    ...(node.id === id && writes.change),
  }));
}

/** The position for a new item at the end. */
export function endOf<N extends Node>(tree: Tree<N>, parent: number | null): number {
  return (tree.children(parent).at(-1)?.position ?? 0) + STEP;
}

/** One step of an item: among its siblings, into the one above, or out of its parent. */
export type Step = "up" | "down" | "in" | "out";

/** The move of a step, or nothing if there is no such step. */
export function stepOf<N extends Node>(tree: Tree<N>, id: number, step: Step): Move | null {
  const node = tree.get(id);
  if (node === undefined) {
    return null;
  }
  const siblings = tree.children(node.parent_id);
  const at = siblings.findIndex((sibling) => sibling.id === id);
  const above = siblings[at - 1];
  const parent = node.parent_id === null ? undefined : tree.get(node.parent_id);
  switch (step) {
    case "up":
      return at > 0 ? { id, parent: node.parent_id, index: at - 1 } : null;
    case "down":
      return at < siblings.length - 1 ? { id, parent: node.parent_id, index: at + 1 } : null;
    case "in":
      return above === undefined
        ? null
        : { id, parent: above.id, index: tree.children(above.id).length };
    case "out":
      return parent === undefined
        ? null
        : {
            id,
            parent: parent.parent_id,
            index: tree.children(parent.parent_id).findIndex((one) => one.id === parent.id) + 1,
          };
  }
}
