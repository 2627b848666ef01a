import { useSyncExternalStore } from "react";
import { api, body, onSessionEnd, onTwoFactorRequired, type Schemas } from "../api/client";
import { ApiError } from "../api/error";

export type SessionState = Schemas["ConsoleSession"];

/** Who is signed in in this browser. */
interface Snapshot {
  session: SessionState | null;
  /** The session ended while the console was open. */
  renewing: boolean;
  /** The service refuses everything until the operator has a second factor. */
  needsTwoFactor: boolean;
}

const NOBODY: Snapshot = { session: null, renewing: false, needsTwoFactor: false };

let snapshot = NOBODY;
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

  /** Asks the service again, after something about the person has changed. */
  async refresh(): Promise<void> {
    const session = await body(api.GET("/api/console/session"));
    const needsTwoFactor = snapshot.needsTwoFactor && session.operator?.two_factor === false;
    set({ ...snapshot, session, needsTwoFactor });
  },

  signedIn(session: SessionState): void {
    set({ ...NOBODY, session });
    renewed.forEach((resolve) => resolve());
    renewed = [];
  },

  async signOut(): Promise<void> {
    await api.DELETE("/api/console/session");
    set(NOBODY);
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

onTwoFactorRequired(() => set({ ...snapshot, needsTwoFactor: true }));

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

/** Leaves the console, whose session is over. */
export function leave(): void {
  window.location.assign("/console/sign-in");
}
