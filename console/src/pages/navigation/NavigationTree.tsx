import {
  AssistiveDndState,
  dragAndDropFeature,
  type DragTarget,
  hotkeysCoreFeature,
  keyboardDragAndDropFeature,
  syncDataLoaderFeature,
} from "@headless-tree/core";
import { useTree } from "@headless-tree/react";
import { Box } from "@mui/material";
import { useEffect, useMemo, useState } from "react";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { type Entry, type Move, type Step, stepOf, type Tree } from "./tree";
import { TreeRow } from "./TreeRow";
import { useMove } from "./useNavigation";

const ROOT = "root";
const INDENT = 26;

/** An item, or nothing for the root and for items that were just deleted. */
interface Node {
  entry: Entry | undefined;
}

interface Props {
  tree: Tree<Entry>;
  readOnly: boolean;
  onEdit: (id: number) => void;
  onAdd: (parent: number) => void;
  onDelete: (id: number) => void;
}

/** The items of the menu. They are moved by drag and drop, with the keyboard, or from a menu. */
export function NavigationTree({ tree, readOnly, onEdit, onAdd, onDelete }: Props) {
  const t = useText();
  const tokens = useTokens();
  const startMove = useMove();
  const [news, setNews] = useState("");
  // Everything is open unless it was closed, so that an item with its first child shows it.
  const [closed, setClosed] = useState<string[]>([]);
  const folders = parents(tree, null);
  // The tree draws itself again for every other array.
  const expandedItems = useMemo(
    () => parents(tree, null).filter((id) => !closed.includes(id)),
    [tree, closed],
  );
  const open = (parent: number) => setClosed((ids) => ids.filter((id) => id !== String(parent)));

  const nodeId = (id: string) => (id === ROOT ? null : Number(id));
  const nameOf = (parent: number | null) => (parent === null ? undefined : tree.get(parent)?.title);
  const place = (parent: number | null, index: number, count: number) => {
    const name = nameOf(parent);
    const values = { position: index + 1, count };
    return name === undefined
      ? t("navigation.place.top", values)
      : t("navigation.place.below", { ...values, name });
  };

  const move = (to: Move) => {
    const count = tree.children(to.parent).filter(({ id }) => id !== to.id).length + 1;
    startMove(to);
    setNews(
      t("navigation.moved", {
        name: nameOf(to.id) ?? "",
        place: place(to.parent, to.index, count),
      }),
    );
    if (to.parent !== null) {
      open(to.parent);
    }
  };

  const moveOf = (id: number, target: DragTarget<Node>): Move => {
    const parent = nodeId(target.item.getId());
    const siblings = tree.children(parent).filter((sibling) => sibling.id !== id);
    const index = "insertionIndex" in target ? target.insertionIndex : siblings.length;
    return { id, parent, index };
  };

  const view = useTree<Node>({
    rootItemId: ROOT,
    features: [
      syncDataLoaderFeature,
      hotkeysCoreFeature,
      ...(readOnly ? [] : [dragAndDropFeature, keyboardDragAndDropFeature]),
    ],
    dataLoader: {
      getItem: (id) => ({ entry: tree.get(Number(id)) }),
      getChildren: (id) => tree.children(nodeId(id)).map((entry) => String(entry.id)),
    },
    getItemName: (item) => item.getItemData().entry?.title ?? "",
    isItemFolder: (item) => tree.children(nodeId(item.getId())).length > 0,
    indent: INDENT,
    state: { expandedItems },
    setExpandedItems: (change) => {
      const next = typeof change === "function" ? change(expandedItems) : change;
      setClosed(folders.filter((id) => !next.includes(id)));
    },
    canDrop: () => true,
    onDrop: ([item], target) => {
      if (item !== undefined) {
        move(moveOf(Number(item.getId()), target));
      }
    },
    hotkeys: {
      startDrag: { ...ON_ROW, hotkey: "Space", preventDefault: true },
      customEdit: {
        hotkey: "Enter",
        isEnabled: (current) => ON_ROW.isEnabled() && !current.getState().dnd,
        handler: (_, current) => onEdit(Number(current.getFocusedItem().getId())),
      },
      customDelete: {
        ...ON_ROW,
        hotkey: "Delete",
        handler: (_, current) => !readOnly && onDelete(Number(current.getFocusedItem().getId())),
      },
    },
  });

  useEffect(() => view.rebuildTree(), [tree, closed, view]);

  const { dnd, assistiveDndState } = view.getState();
  const [dragged] = dnd?.draggedItems ?? [];
  const target = dnd?.dragTarget;
  const isDragging = dragged !== undefined && target !== undefined;
  const status = () => {
    if (!isDragging) {
      return news;
    }
    const to = moveOf(Number(dragged.getId()), target);
    const siblings = tree.children(to.parent).filter(({ id }) => id !== to.id);
    const where = place(to.parent, to.index, siblings.length + 1);
    return assistiveDndState === AssistiveDndState.Started
      ? t("navigation.pickedUp", { name: dragged.getItemName(), place: where })
      : where;
  };

  return (
    <Box sx={{ pb: 1 }}>
      <Box sx={{ px: 2.5, pb: 1, color: "text.secondary", fontSize: 13.5 }}>
        {!readOnly && <Box id="navigation-help">{t("navigation.help")}</Box>}
        <Box sx={{ minHeight: 24, mt: 0.5 }}>
          <Box
            role="status"
            aria-live="assertive"
            sx={{
              color: tokens.accent,
              fontWeight: 550,
              // The place stays in sight however long the menu is.
              ...(isDragging && { position: "fixed", bottom: 16, zIndex: "tooltip" }),
              ...(isDragging && { px: 2, py: 1, borderRadius: 2, bgcolor: tokens.accentSoft }),
            }}
          >
            {status()}
          </Box>
        </Box>
      </Box>
      <Box
        {...view.getContainerProps(t("navigation.tree"))}
        {...(!readOnly && { "aria-describedby": "navigation-help" })}
      >
        {view.getItems().map((item) => {
          const { entry } = item.getItemData();
          return (
            entry !== undefined && (
              <TreeRow
                key={item.getKey()}
                item={item}
                entry={entry}
                indent={INDENT}
                readOnly={readOnly}
                isDragged={dragged?.getId() === item.getId()}
                canStep={(step: Step) => stepOf(tree, entry.id, step) !== null}
                onStep={(step: Step) => {
                  const to = stepOf(tree, entry.id, step);
                  if (to !== null) {
                    move(to);
                  }
                }}
                onEdit={() => onEdit(entry.id)}
                onAdd={() => {
                  open(entry.id);
                  onAdd(entry.id);
                }}
                onDelete={() => onDelete(entry.id)}
              />
            )
          );
        })}
        {!readOnly && (
          <Box
            style={view.getDragLineStyle()}
            sx={{ height: "2px", bgcolor: tokens.accent, borderRadius: 1 }}
          />
        )}
      </Box>
    </Box>
  );
}

/** Keys count only on a row itself, not on a button inside it. */
const ON_ROW = {
  isEnabled: () => document.activeElement?.getAttribute("role") === "treeitem",
};

/** The items that have others below them. */
function parents(tree: Tree<Entry>, parent: number | null): string[] {
  return tree
    .children(parent)
    .filter(({ id }) => tree.children(id).length > 0)
    .flatMap(({ id }) => [String(id), ...parents(tree, id)]);
}
