type Fields = Record<string, unknown>;

/** One field that changed. `undefined` stands for a field that was not there. */
export interface Change {
  /** Nested fields by their path: `block.reason`. */
  path: string;
  before: unknown;
  after: unknown;
}

/** The fields that differ, in the order of the entry. */
export function changes(before: Fields, after: Fields): Change[] {
  const [old, now] = [flat(before), flat(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

function flat(fields: Fields, prefix = ""): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    if (isFields(value)) {
      flat(value, `${prefix}${name}.`).forEach((inner, path) => found.set(path, inner));
    } else {
      found.set(prefix + name, value);
    }
  }
  return found;
}

function isFields(value: unknown): value is Fields {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.keys(value).length > 0;
}

/** A value as text. Lists have one item in each line. */
export function asText(value: unknown): string {
  if (typeof value === "string") {
    return value;
  }
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join("\n");
  }
  return JSON.stringify(value, null, 2);
}

/** A text in three parts, of which the middle one is what changed. */
export interface Parts {
  start: string;
  middle: string;
  end: string;
}

/** Finds what two texts begin and end with, so that only the rest is marked. */
export function compare(before: string, after: string): [Parts, Parts] {
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) {
    start += 1;
  }
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
  }
  const split = (text: string) => ({
    start: text.slice(0, start),
    middle: text.slice(start, text.length - end),
    end: text.slice(text.length - end),
  });
  return [split(before), split(after)];
}

/** How much of a text is shown around its change, and of the change itself. */
const AROUND = 60;
const SHOWN = 240;

/** Whether a text is too long to be shown at once. */
export function isLong({ start, middle, end }: Parts): boolean {
  return middle.length > SHOWN || start.length + end.length > 2 * AROUND + SHOWN;
}

/** The change with a little of the text around it. */
export function folded({ start, middle, end }: Parts): Parts {
  return {
    start: start.length > AROUND ? `…${start.slice(-AROUND)}` : start,
    middle: middle.length > SHOWN ? `${middle.slice(0, SHOWN)}…` : middle,
    end: end.length > AROUND ? `${end.slice(0, AROUND)}…` : end,
  };
}
