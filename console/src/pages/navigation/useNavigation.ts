import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useNotify } from "react-admin";
import { api, body } from "../../api/client";
import { ApiError } from "../../api/error";
import { isEqual } from "../../components/form/conflict";
import { useErrorText } from "../../i18n";
import { applied, type Entry, type Move, treeOf, type Writes, writesOf } from "./tree";

const KEY = ["navigation", "tree"];
const PAGE = 100;

async function readIds(): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, per_page: PAGE };
    const { navbar_items } = await body(api.GET("/api/navbar-items", { params: { query } }));
    ids.push(...navbar_items.map(({ id }) => id));
    if (navbar_items.length < PAGE) {
      return ids;
    }
  }
}

/** The list has no roles and no entity tags, so each item is read. */
async function readEntry(id: number): Promise<Entry> {
  const { data, response } = await api.GET("/api/navbar-items/{id}", { params: { path: { id } } });
  // A reply that is no success is thrown, so there is a body.
  const { navbar_item } = data as NonNullable<typeof data>;
  return { ...navbar_item, tag: response.headers.get("ETag") ?? undefined };
}

/** All items of the menu. */
export function useNavigation() {
  const query = useQuery({
    queryKey: KEY,
    queryFn: async () => Promise.all((await readIds()).map(readEntry)),
  });
  const tree = useMemo(() => treeOf(query.data ?? []), [query.data]);
  return { query, entries: query.data ?? [], tree };
}

/** Moves items. A move is shown at once, and taken back if it is refused. */
export function useMove(): (move: Move) => void {
  const client = useQueryClient();
  const notify = useNotify();
  const errorText = useErrorText();
  const mutationKey = ["navigation", "move"];

  const { mutate } = useMutation({
    mutationKey,
    scope: { id: "navigation" },
    mutationFn: ({ entry, writes }: { entry: Entry; writes: Writes }) => write(entry, writes),
    onError: (error) => notify(errorText(error), { type: "error" }),
    // Several moves in a row are read again when the last one is done, or items would jump back.
    onSettled: async () => {
      if (client.isMutating({ mutationKey }) === 1) {
        await client.invalidateQueries({ queryKey: ["navigation"] });
      }
    },
  });

  return (move) => {
    const entries = client.getQueryData<Entry[]>(KEY) ?? [];
    const tree = treeOf(entries);
    const entry = tree.get(move.id);
    const writes = writesOf(tree, move);
    if (entry !== undefined && (writes.order.length > 0 || writes.change !== null)) {
      void client.cancelQueries({ queryKey: KEY });
      client.setQueryData(KEY, applied(entries, move.id, writes));
      mutate({ entry, writes });
    }
  };
}

async function write(entry: Entry, { order, change }: Writes): Promise<void> {
  if (order.length > 0) {
    await api.POST("/api/navbar-items/reorder", { body: { items: order } });
  }
  if (change === null) {
    return;
  }
  const put = (tag: string | undefined) =>
    api.PUT("/api/navbar-items/{id}", {
      params: {
        path: { id: entry.id },
        header: tag === undefined ? {} : { "If-Match": tag },
      },
      body: change,
    });
  try {
    await put(entry.tag);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) {
      throw error;
    }
    // An item that was only moved can be moved again. One that was edited is looked at first.
    const current = await readEntry(entry.id);
    if (!isEqual(withoutPlace(current), withoutPlace(entry))) {
      throw error;
    }
    await put(current.tag);
  }
}

/** Everything about an item but where it is. `children` of it do not matter either. */
function withoutPlace(entry: Entry): Partial<Entry> {
  const { title, url, icon, new_tab, visibility, roles } = entry;
  const { visible_only_for_guests, visible_only_for_logged_in } = entry;
  return {
    ...{ title, url, icon, new_tab, visibility, roles },
    ...{ visible_only_for_guests, visible_only_for_logged_in },
  };
}
