/** Compares the version in the form with a newer one that another client has saved. */

export type Values = Record<string, unknown>;

export function isEqual(a: unknown, b: unknown): boolean {
  return (a ?? null) === (b ?? null) || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

/** The fields whose value differs from the one the form began with. */
export function changesOf(fields: readonly string[], base: Values, values: Values): Values {
  return Object.fromEntries(
    fields
      .filter((field) => !isEqual(base[field], values[field]))
      .map((field) => [field, values[field] ?? null]),
  );
}

export interface Conflict {
  field: string;
  theirs: unknown;
  yours: unknown;
}

/** The fields that both changed, to different values. */
export function conflictsOf(base: Values, changes: Values, current: Values): Conflict[] {
  return Object.entries(changes)
    .filter(
      ([field, yours]) => !isEqual(base[field], current[field]) && !isEqual(current[field], yours),
    )
    .map(([field, yours]) => ({ field, theirs: current[field], yours }));
}
