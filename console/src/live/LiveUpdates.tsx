import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { sessionStore } from "../session/session";
import { markChanged } from "./changes";
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
