import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { sessionStore } from "../session/session";
import { Store, useStored } from "../store";
import { connect, disconnect, resourceOf, subscribe } from "./events";

/** A burst of changes, such as an import, refreshes a list once and not once for each. */
const COLLECT_MS = 400;

/** Refreshes what is on the screen when it changes. */
export function LiveUpdates() {
  const queries = useQueryClient();

  useEffect(() => {
    connect();
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = subscribe((event) => {
      const resource = resourceOf(event.resource) ?? event.resource;
      const me = sessionStore.get()?.operator?.user_id;
      const isOwn = event.actor.kind === "operator" && event.actor.id === me;
      if (!isOwn) {
        markChanged(resource, event.resource_id, event.actor.name);
      }
      changed.add(resource);
      timer ??= setTimeout(() => {
        timer = undefined;
        const resources = new Set(changed);
        changed.clear();
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey.some((part) => resources.has(String(part))),
        });
      }, COLLECT_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
      disconnect();
    };
  }, [queries]);

  return null;
}

/** How long a row that another client changed stays marked. */
const MARKED_MS = 8000;

/** The records that other people changed a moment ago, with the name of who did. */
const changes = new Store<ReadonlyMap<string, string>>(new Map());

function markChanged(resource: string, id: number | string, name: string): void {
  const key = `${resource}/${id}`;
  changes.set(new Map(changes.get()).set(key, name));
  setTimeout(() => {
    changes.set(new Map([...changes.get()].filter(([known]) => known !== key)));
  }, MARKED_MS);
}

/** Who changed which records of a resource a moment ago: `changedBy(id)`. */
export function useChangedBy(resource: string): (id: number | string) => string | undefined {
  const current = useStored(changes);
  return (id) => current.get(`${resource}/${id}`);
}
