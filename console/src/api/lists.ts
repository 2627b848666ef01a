/** The cursor of the next part of a list, from its `Link` header. `null` after the last part. */
export function nextCursor(link: string | null): string | null {
  const next = (link ?? "").split(",").find((part) => /;\s*rel="next"/.test(part));
  const address = /<([^>]*)>/.exec(next ?? "")?.[1];
  return address === undefined ? null : new URL(address, "http://local").searchParams.get("after");
}

/** The service searches for three characters and more. */
export const SHORTEST_SEARCH = 3;

/** The words that a filter searches for, once there are enough of them. */
export function searchOf(filter: unknown): string | null {
  const words = wordsOf(filter);
  return [...words].length < SHORTEST_SEARCH ? null : words;
}

/** How many characters a search still needs. 0 if nothing was typed. */
export function lackingCharacters(filter: unknown): number {
  const count = [...wordsOf(filter)].length;
  return count === 0 ? 0 : Math.max(0, SHORTEST_SEARCH - count);
}

function wordsOf(filter: unknown): string {
  const { q } = (filter ?? {}) as { q?: unknown };
  return typeof q === "string" ? q.trim() : "";
}
