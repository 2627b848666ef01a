import { useSyncExternalStore } from "react";

/** How long a row that another client changed stays marked. */
const MARKED_MS = 8000;

/** The records that other people changed a moment ago, with the name of who did. */
let changes: ReadonlyMap<string, string> = new Map();
const listeners = new Set<() => void>();

function set(next: Map<string, string>): void {
  changes = next;
  listeners.forEach((listener) => listener());
}

export function markChanged(resource: string, id: number | string, name: string): void {
  const key = `${resource}/${id}`;
  set(new Map(changes).set(key, name));
  setTimeout(() => {
    const next = new Map(changes);
    next.delete(key);
    set(next);
  }, MARKED_MS);
}

/** Who changed which records of a resource a moment ago: `changedBy(id)`. */
export function useChangedBy(resource: string): (id: number | string) => string | undefined {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => changes,
  );
  return (id) => current.get(`${resource}/${id}`);
}
