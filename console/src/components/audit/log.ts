import { api } from "../../api/client";
import { nextCursor } from "../../api/cursor";
import type { Entry } from "./sentence";

/** The filters of the audit log, by the names that the service has for them. */
export interface AuditFilters {
  resource?: string | undefined;
  resource_id?: number | undefined;
  action?: string | undefined;
  key_id?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface AuditPage {
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

export async function readLog(filters: AuditFilters, window: Window): Promise<AuditPage> {
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
export async function readSince(filters: AuditFilters, id: number): Promise<Entry[]> {
  const found: Entry[] = [];
  let after: string | null | undefined = id > 1 ? String(id - 1) : undefined;
  while (after !== null) {
    const page = await readLog(filters, { size: LARGEST_PAGE, after, oldestFirst: true });
    found.push(...page.entries);
    after = page.next;
  }
  return found.reverse();
}
