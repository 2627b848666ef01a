import { useSyncExternalStore } from "react";

/** Where the console is on the service. */
export const BASE = "/console";

/** The name and the format of what react-admin keeps in this browser. */
export const APP = "Steward";
export const VERSION = "1";

/** The language that was chosen in this browser, before react-admin has started. */
export function storedLanguage(): string | undefined {
  try {
    return JSON.parse(localStorage.getItem(`RaStore${APP}.locale`) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** A value outside of React that components follow. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  readonly get = (): T => this.value;

  set(value: T): void {
    if (value !== this.value) {
      this.value = value;
      this.listeners.forEach((listener) => listener());
    }
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

/** The value of a store, whenever it changes. */
export function useStored<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
