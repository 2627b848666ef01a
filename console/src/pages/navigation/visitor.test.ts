import { expect, test } from "vitest";
import { type Entry, treeOf } from "./tree";
import { countOf, isForNobody, isVisible, menuOf, type Visitor } from "./visitor";

const guest: Visitor = { isMember: false, role: null, device: "desktop" };
const member: Visitor = { ...guest, isMember: true };
const editor: Visitor = { ...member, role: 5 };

const entry = (id: number, changes: Partial<Entry> = {}): Entry => ({
  id,
  title: `Item ${id}`,
  url: null,
  new_tab: false,
  icon: null,
  position: id,
  visible_only_for_guests: false,
  visible_only_for_logged_in: false,
  visibility: "all",
  parent_id: null,
  roles: [],
  tag: undefined,
  ...changes,
});

const EDITORS = [{ id: 5, name: "Editor" }];

test.each([
  ["everyone", {}, [true, true, true]],
  ["guests", { visible_only_for_guests: true }, [true, false, false]],
  ["members", { visible_only_for_logged_in: true }, [false, true, true]],
  ["editors", { roles: EDITORS }, [false, false, true]],
] as [string, Partial<Entry>, boolean[]][])("an item for %s", (_, rules, expected) => {
  const item = entry(1, rules);
  expect([guest, member, editor].map((visitor) => isVisible(item, visitor))).toEqual(expected);
});

test("an item for phones is not shown on a desktop", () => {
  const item = entry(1, { visibility: "mobile" });
  expect(isVisible(item, guest)).toBe(false);
  expect(isVisible(item, { ...guest, device: "mobile" })).toBe(true);
});

test("an item for guests with a role is for nobody", () => {
  const item = entry(1, { visible_only_for_guests: true, roles: EDITORS });
  expect(isForNobody(item)).toBe(true);
  expect([guest, member, editor].some((visitor) => isVisible(item, visitor))).toBe(false);
});

test("an item that is not shown hides those below it", () => {
  const tree = treeOf([
    entry(1, { visible_only_for_logged_in: true }),
    entry(2, { parent_id: 1 }),
    entry(3),
  ]);
  expect(menuOf(tree, guest).map(({ item }) => item.id)).toEqual([3]);
  expect(countOf(menuOf(tree, member))).toBe(3);
});
