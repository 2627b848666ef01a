import {
  api,
  body,
  onConfirmationRequired,
  onSessionEnd,
  onTwoFactorRequired,
  type Schemas,
} from "../api/client";
import { ApiError } from "../api/error";
import { Store, useStored } from "../store";

export type SessionState = Schemas["ConsoleSession"];

/** Who is signed in in this browser. */
interface Snapshot {
  session: SessionState | null;
  /** The session ended while the console was open. */
  renewing: boolean;
  /** The service wants to know that it is still the same person. */
  confirming: boolean;
  /** The service refuses everything until the operator has a second factor. */
  needsTwoFactor: boolean;
}

const SIGNED_OUT: Snapshot = {
  session: null,
  renewing: false,
  confirming: false,
  needsTwoFactor: false,
};

const store = new Store(SIGNED_OUT);
let renewed: (() => void)[] = [];
let confirmed: ((isDone: boolean) => void)[] = [];
/** When the person last proved who they are, as far as this page knows. */
let provedAt = -Infinity;

let asked: Promise<void> | null = null;

async function ask(): Promise<void> {
  try {
    const session = await body(api.GET("/api/console/session"));
    store.set({ ...store.get(), session });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) {
      asked = null;
      throw error;
    }
  }
}

export const sessionStore = {
  get: () => store.get().session,

  /** Asks the service once; afterwards the answer is cached, also that there is no session. */
  async load(): Promise<SessionState | null> {
    if (store.get().session === null) {
      asked ??= ask();
      await asked;
    }
    return store.get().session;
  },

  /** Asks the service again, after something about the person has changed. */
  async refresh(): Promise<void> {
    const session = await body(api.GET("/api/console/session"));
    const known = store.get();
    const needsTwoFactor = known.needsTwoFactor && session.operator?.two_factor === false;
    store.set({ ...known, session, needsTwoFactor });
  },

  signedIn(session: SessionState): void {
    provedAt = Date.now();
    store.set({ ...SIGNED_OUT, session });
    renewed.forEach((resolve) => resolve());
    renewed = [];
  },

  /** Ends the question who the person is, and lets the requests go on that wait for the answer. */
  confirmed(isDone: boolean): void {
    provedAt = isDone ? Date.now() : provedAt;
    store.set({ ...store.get(), confirming: false });
    confirmed.forEach((resolve) => resolve(isDone));
    confirmed = [];
  },

  async signOut(): Promise<void> {
    await api.DELETE("/api/console/session");
    store.set(SIGNED_OUT);
  },
};

// Requests that got 401 wait here. Without a session there is nothing to renew: the sign-in page
// is shown instead.
onSessionEnd(() => {
  if (store.get().session === null) {
    return Promise.reject(
      new ApiError(401, { code: "unauthorized", message: "Sign in.", request_id: "" }, null),
    );
  }
  store.set({ ...store.get(), renewing: true });
  return new Promise((resolve) => renewed.push(resolve));
});

function confirm(): Promise<boolean> {
  store.set({ ...store.get(), confirming: true });
  return new Promise((resolve) => confirmed.push(resolve));
}

onConfirmationRequired(confirm);

/** The service takes a confirmation for 15 minutes. */
const PROVED_MS = 14 * 60_000;

/**
 * Asks who the person is before the browser opens an address on its own, where a refusal could not
 * be answered. Returns whether it may.
 */
export function confirmFirst(): Promise<boolean> {
  return Date.now() - provedAt < PROVED_MS ? Promise.resolve(true) : confirm();
}

onTwoFactorRequired(() => store.set({ ...store.get(), needsTwoFactor: true }));

export function useSessionSnapshot(): Snapshot {
  return useStored(store);
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
