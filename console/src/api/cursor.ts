/** The cursor of the next part of a list, from its `Link` header. `null` after the last part. */
export function nextCursor(link: string | null): string | null {
  const next = (link ?? "").split(",").find((part) => /;\s*rel="next"/.test(part));
  const address = /<([^>]*)>/.exec(next ?? "")?.[1];
  return address === undefined ? null : new URL(address, "http://local").searchParams.get("after");
}
