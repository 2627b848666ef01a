import { Store, useStored } from "./store";

/** Where the service has the files of this version: their address has a hash of them all. */
const FILES = /\/console\/files\/\w+\//;
const OWN = FILES.exec(import.meta.url)?.[0];
const RELOADED_FOR = "steward.reloadedFor";

/** Whether the service has another version than this page, which has something to lose. */
const outdated = new Store(false);

export function useOutdated(): boolean {
  return useStored(outdated);
}

/** Whether a form has unsaved changes: then it would ask before the page is closed. */
function hasUnsavedChanges(): boolean {
  return !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

/** The address of the files that the service has now. */
async function current(): Promise<string | undefined> {
  const page = await fetch("/console/", { cache: "no-store" });
  return FILES.exec(await page.text())?.[0];
}

/**
 * After an upgrade, loads the page again: the service no longer has the files of this version. Once
 * for each version, so that two services behind one address cannot keep a page reloading. Not
 * while a form has unsaved changes: then `useOutdated` says so. Returns whether it is about to load.
 */
export async function followUpgrade(): Promise<boolean> {
  const found = await current();
  if (OWN === undefined || found === undefined || found === OWN) {
    outdated.set(false);
    return false;
  }
  if (hasUnsavedChanges() || sessionStorage.getItem(RELOADED_FOR) === found) {
    outdated.set(true);
    return false;
  }
  sessionStorage.setItem(RELOADED_FOR, found);
  window.location.reload();
  return true;
}
