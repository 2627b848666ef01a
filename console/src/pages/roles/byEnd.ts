interface Member {
  expires_at: string | null;
}

/** Those whose role expires next first, and those who keep it last. */
export function byEnd<M extends Member>(members: readonly M[]): M[] {
  const end = ({ expires_at }: Member) => (expires_at === null ? Infinity : Date.parse(expires_at));
  return [...members].sort((a, b) => (end(a) < end(b) ? -1 : end(a) > end(b) ? 1 : 0));
}
