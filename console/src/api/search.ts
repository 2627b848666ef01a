/** The service searches for three characters and more. */
const SHORTEST = 3;

/** The words that a filter searches for, once there are enough of them. */
export function searchOf(filter: unknown): string | null {
  const { q } = (filter ?? {}) as { q?: unknown };
  const words = typeof q === "string" ? q.trim() : "";
  return [...words].length < SHORTEST ? null : words;
}
