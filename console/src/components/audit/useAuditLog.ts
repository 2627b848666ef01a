import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { subscribe } from "../../live/events";
import { type AuditFilters, readLog, readSince } from "./log";
import type { Entry } from "./sentence";

/** A burst of changes is read at once. */
const COLLECT_MS = 400;

/** The audit log, newest first: page by page, and new entries on top as they happen. */
export function useAuditLog(filters: AuditFilters, size: number) {
  const log = useInfiniteQuery({
    queryKey: ["audit-log", filters, size],
    queryFn: ({ pageParam }) => readLog(filters, { size, after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnMount: "always",
    // New entries are added one by one, so the pages stay as they are while they are looked at.
    refetchOnWindowFocus: false,
  });
  const fresh = useFresh(filters);
  const read = (log.data?.pages ?? []).flatMap(({ entries }) => entries);
  const [first] = log.data?.pages ?? [];
  return {
    ...log,
    entries: unique([...fresh, ...read]),
    total: first?.total ?? 0,
    isTotalExact: first?.isTotalExact ?? true,
    /** Whether an entry came while the log was looked at. */
    isFresh: ({ id }: Entry) => fresh.some((entry) => entry.id === id),
  };
}

/** The entries of what happens while this is shown. Events lack the fields, so they are read. */
function useFresh(filters: AuditFilters): Entry[] {
  const [fresh, setFresh] = useState<Entry[]>([]);
  const wanted = JSON.stringify(filters);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let oldest = Infinity;
    const follow = async () => {
      timer = undefined;
      const from = oldest;
      oldest = Infinity;
      try {
        const found = await readSince(JSON.parse(wanted) as AuditFilters, from);
        setFresh((known) => unique([...found, ...known]));
      } catch {
        // The next event reads what is missing now.
        oldest = Math.min(oldest, from);
      }
    };
    const unsubscribe = subscribe(({ id }) => {
      oldest = Math.min(oldest, id);
      timer ??= setTimeout(() => void follow(), COLLECT_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [wanted]);

  return fresh;
}

function unique(entries: Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}
