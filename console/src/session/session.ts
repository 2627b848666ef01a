import { useSyncExternalStore } from "react";
import { api, body, onSessionEnd, type Schemas } from "../api/client";
import { ApiError } from "../api/error";

export type SessionState = Schemas["SessionState"];

/** Who is signed in in this browser. `renewing`: the session ended while the console was open. */
interface Snapshot {
  session: SessionState | null;
  renewing: boolean;
}

let snapshot: Snapshot = { session: null, renewing: false };
let renewed: (() => void)[] = [];
const listeners = new Set<() => void>();

function set(next: Snapshot): void {
  snapshot = next;
  listeners.forEach((listener) => listener());
}

export const sessionStore = {
  get: () => snapshot.session,

  /** Asks the service once; afterwards the answer is remembered. */
  async load(): Promise<SessionState | null> {
    if (snapshot.session === null) {
      try {
        const session = await body(api.GET("/api/console/session"));
        set({ ...snapshot, session });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) {
          throw error;
        }
      }
    }
    return snapshot.session;
  },

  signedIn(session: SessionState): void {
    set({ session, renewing: false });
    renewed.forEach((resolve) => resolve());
    renewed = [];
  },

  async signOut(): Promise<void> {
    await api.DELETE("/api/console/session");
    set({ session: null, renewing: false });
  },
};

// Requests that got 401 wait here. Without a session there is nothing to renew: the sign-in page
// is shown instead.
onSessionEnd(() => {
  if (snapshot.session === null) {
    return Promise.reject(
      new ApiError(401, { code: "unauthorized", message: "Sign in.", request_id: "" }, null),
    );
  }
  set({ ...snapshot, renewing: true });
  return new Promise((resolve) => renewed.push(resolve));
});

export function useSessionSnapshot(): Snapshot {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => snapshot,
  );
}

export function useSession(): SessionState | null {
  return useSessionSnapshot().session;
}

/** A permission grants itself and everything below it: `admin.users` covers `admin.users.read`. */
export function grants(session: SessionState | null, wanted: string): boolean {
  return (session?.permissions ?? []).some(
    ({ name }) => wanted === name || wanted.startsWith(`${name}.`),
  );
}

/** Whether the signed-in person has a permission. */
export function useCan(permission: string): boolean {
  return grants(useSession(), permission);
}
