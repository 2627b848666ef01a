import type { Entry, Tree } from "./tree";

/** Someone who looks at the site. */
export interface Visitor {
  isMember: boolean;
  /** The role of a member. */
  role: number | null;
  device: "desktop" | "mobile";
}

type Rules = Pick<
  Entry,
  "visibility" | "visible_only_for_guests" | "visible_only_for_logged_in" | "roles"
>;

/** Whether a visitor sees an item, if they see the one above it. */
export function isVisible(item: Rules, { isMember, role, device }: Visitor): boolean {
  return (
    (item.visibility === "all" || item.visibility === device) &&
    !(item.visible_only_for_guests && isMember) &&
    !(item.visible_only_for_logged_in && !isMember) &&
    (item.roles.length === 0 || (isMember && item.roles.some(({ id }) => id === role)))
  );
}

/** Only guests see it, and only members have roles. */
export function isForNobody(item: Rules): boolean {
  return item.visible_only_for_guests && item.roles.length > 0;
}

export interface Branch {
  item: Entry;
  children: Branch[];
}

/** The menu of a visitor: an item that they do not see hides everything below it. */
export function menuOf(
  tree: Tree<Entry>,
  visitor: Visitor,
  parent: number | null = null,
): Branch[] {
  return tree
    .children(parent)
    .filter((item) => isVisible(item, visitor))
    .map((item) => ({ item, children: menuOf(tree, visitor, item.id) }));
}

export function countOf(branches: readonly Branch[]): number {
  return branches.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}
