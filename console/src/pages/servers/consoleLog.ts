import { Store, useStored } from "../../store";

/** One command and what came of it. */
export interface Entry {
  command: string;
  at: string;
  /** `null` while the server has not answered. */
  answer: string | null;
  truncated: boolean;
  error: unknown;
}

/** How many commands are kept for each console. */
const KEPT = 200;

/**
 * What was typed and answered, by console. It is kept while the tab is open, so that one can look
 * at another page and come back, and it is never stored: answers can contain secrets.
 */
const consoles = new Store<Readonly<Record<string, readonly Entry[]>>>({});
const EMPTY: readonly Entry[] = [];

function change(name: string, next: (entries: readonly Entry[]) => readonly Entry[]): void {
  consoles.set({ ...consoles.get(), [name]: next(consoles.get()[name] ?? EMPTY) });
}

/** Adds a command. Returns a function that fills in what came of it. */
export function addEntry(name: string, command: string): (outcome: Partial<Entry>) => void {
  let entry: Entry = {
    command,
    at: new Date().toISOString(),
    answer: null,
    truncated: false,
    error: null,
  };
  change(name, (entries) => [...entries, entry].slice(-KEPT));
  return (outcome) => {
    const filled = { ...entry, ...outcome };
    change(name, (entries) => entries.map((old) => (old === entry ? filled : old)));
    entry = filled;
  };
}

export function clearEntries(name: string): void {
  change(name, () => EMPTY);
}

export function useEntries(name: string): readonly Entry[] {
  return useStored(consoles)[name] ?? EMPTY;
}

/** The commands of a console, each once in a row, the latest last. */
export function commandsOf(entries: readonly Entry[]): string[] {
  return entries
    .map(({ command }) => command)
    .filter((command, index, all) => command !== all[index - 1]);
}
