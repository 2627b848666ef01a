import type { AuthProvider } from "react-admin";
import { RESOURCES, type ResourceInfo } from "../api/resources";
import { grants, sessionStore } from "./session";

/** Tells react-admin who is signed in and what is offered to them. */
export const authProvider: AuthProvider = {
  // The sign-in page talks to the service itself: it may need a second step.
  login: () => Promise.resolve(),

  // Also called when a page is opened without a session. `signOut` ends a session.
  logout: () => Promise.resolve("/sign-in"),

  async checkAuth() {
    if ((await sessionStore.load()) === null) {
      throw { redirectTo: "/sign-in", message: false };
    }
  },

  // A session that ended is renewed in place, see `session.ts`.
  checkError: () => Promise.resolve(),

  async getIdentity() {
    const session = await sessionStore.load();
    const name = session?.operator?.username ?? session?.key?.name ?? "";
    return { id: session?.operator?.user_id ?? 0, fullName: name };
  },

  async canAccess({ action, resource }) {
    const info = (RESOURCES as Record<string, ResourceInfo>)[resource];
    if (info === undefined) {
      return true;
    }
    const isRead = ["list", "show", "export"].includes(action);
    return grants(await sessionStore.load(), isRead ? info.read : info.write);
  },
};
