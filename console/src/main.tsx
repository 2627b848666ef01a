import { firstLanguage, i18nProvider } from "./i18n/provider";
import { preload } from "./pages";
import { retried } from "./retried";
import { sessionStore } from "./session/session";
import { BASE, storedLanguage } from "./store";

/** The code of the page waits for the session: without one, the page to sign in is shown instead. */
async function begin(): Promise<void> {
  const path = window.location.pathname.slice(BASE.length);
  const session = await sessionStore.load();
  preload(session === null ? "/sign-in" : path);
}

// Everything is asked for at once. If there is no answer, the console says so once it has started.
const parts = Promise.all([
  retried(() => import("./start")),
  i18nProvider.changeLocale(firstLanguage(storedLanguage())),
  begin().catch(() => undefined),
]);
void parts.then(([{ start }]) => start());
