import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api } from "../../api/client";
import { nextCursor } from "../../api/lists";
import { subscribe } from "../../live/events";
import type { Entry } from "./sentence";

/** The filters of the audit log, by the names that the service has for them. */
export interface AuditFilters {
  /** The operator who acted. */
  user_id?: number | undefined;
  /** The user whom entries are about. */
  about_user_id?: number | undefined;
  resource?: string | undefined;
  resource_id?: number | undefined;
  action?: string | undefined;
  key_id?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

interface AuditPage {
  entries: Entry[];
  /** The cursor of the next page. */
  next: string | null;
  total: number;
  /** The service counts up to a limit. */
  isTotalExact: boolean;
}

interface Window {
  size: number;
  after?: string | undefined;
  /** From the oldest entry on, which is how one follows the log. */
  oldestFirst?: boolean;
}

async function readLog(filters: AuditFilters, window: Window): Promise<AuditPage> {
  const { data, response } = await api.GET("/api/audit-log", {
    params: {
      query: {
        ...filters,
        per_page: window.size,
        after: window.after,
        ...(window.oldestFirst === true && { sort: "id" }),
      },
    },
  });
  return {
    entries: data?.audit_log ?? [],
    next: nextCursor(response.headers.get("Link")),
    total: Number(response.headers.get("X-Total-Count") ?? 0),
    isTotalExact: response.headers.get("X-Total-Count-Relation") !== "at-least",
  };
}

const LARGEST_PAGE = 100;

/** The entry with this id, and all entries after it, newest first. */
async function readSince(filters: AuditFilters, id: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: string | null | undefined = id > 1 ? String(id - 1) : undefined;
  while (after !== null) {
    const page = await readLog(filters, { size: LARGEST_PAGE, after, oldestFirst: true });
    found.push(...page.entries);
    after = page.next;
  }
  return found.reverse();
}

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
