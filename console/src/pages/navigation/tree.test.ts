import { expect, test } from "vitest";
import { applied, endOf, type Move, stepOf, treeOf, writesOf } from "./tree";

const node = (id: number, parent_id: number | null, position: number) => ({
  id,
  parent_id,
  position,
});

//  1, 2 (with 4, 5), 3
const NODES = [
  node(1, null, 10),
  node(2, null, 20),
  node(3, null, 30),
  node(4, 2, 40),
  node(5, 2, 50),
];

const ids = (nodes: { id: number }[]) => nodes.map(({ id }) => id);

function after(move: Move) {
  const writes = writesOf(treeOf(NODES), move);
  return treeOf(applied(NODES, move.id, writes));
}

test("items are sorted by position, then by id", () => {
  const tree = treeOf([node(9, null, 0), node(3, null, 0), node(1, null, 5)]);
  expect(ids(tree.children(null))).toEqual([3, 9, 1]);
});

test("a move among siblings is a reordering and nothing else", () => {
  const move = { id: 3, parent: null, index: 0 };
  const writes = writesOf(treeOf(NODES), move);
  expect(writes.change).toBeNull();
  expect(writes.order).toEqual([
    { id: 3, position: 10 },
    { id: 1, position: 20 },
    { id: 2, position: 30 },
  ]);
  expect(ids(after(move).children(null))).toEqual([3, 1, 2]);
});

test("a move to another parent makes room first, then changes the item", () => {
  const move = { id: 1, parent: 2, index: 1 };
  expect(writesOf(treeOf(NODES), move)).toEqual({
    order: [
      { id: 4, position: 10 },
      { id: 5, position: 30 },
    ],
    change: { parent_id: 2, position: 20 },
  });
  expect(ids(after(move).children(2))).toEqual([4, 1, 5]);
  expect(ids(after(move).children(null))).toEqual([2, 3]);
});

test("a move to where the item is writes nothing", () => {
  expect(writesOf(treeOf(NODES), { id: 1, parent: null, index: 0 })).toEqual({
    order: [],
    change: null,
  });
});

test("steps lead up, down, into the item above and out of the parent", () => {
  const tree = treeOf(NODES);
  expect(stepOf(tree, 1, "up")).toBeNull();
  expect(stepOf(tree, 3, "down")).toBeNull();
  expect(stepOf(tree, 1, "in")).toBeNull();
  expect(stepOf(tree, 1, "out")).toBeNull();
  expect(stepOf(tree, 2, "up")).toEqual({ id: 2, parent: null, index: 0 });
  expect(stepOf(tree, 4, "down")).toEqual({ id: 4, parent: 2, index: 1 });
  expect(stepOf(tree, 3, "in")).toEqual({ id: 3, parent: 2, index: 2 });
  expect(stepOf(tree, 5, "out")).toEqual({ id: 5, parent: null, index: 2 });
});

test("a new item comes last", () => {
  expect(endOf(treeOf(NODES), 2)).toBe(60);
  expect(endOf(treeOf(NODES), 5)).toBe(10);
});
