import { useSearchParams } from "react-router";
import type { AuditFilters } from "../../components/audit/log";

const TEXTS = ["resource", "action", "from", "to"] as const;
const NUMBERS = ["key_id", "resource_id"] as const;

/** The filters of the page. They are in the address, so that a link shows the same. */
export function useFilters(): [AuditFilters, (changes: AuditFilters) => void, () => void] {
  const [search, setSearch] = useSearchParams();
  const filters: AuditFilters = {};
  for (const name of TEXTS) {
    const value = search.get(name);
    if (value !== null && value !== "") {
      filters[name] = value;
    }
  }
  for (const name of NUMBERS) {
    const value = search.get(name);
    if (value !== null && /^\d{1,15}$/.test(value)) {
      filters[name] = Number(value);
    }
  }
  const change = (changes: AuditFilters) => {
    const next = Object.entries({ ...filters, ...changes })
      .filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, String(value)]);
    setSearch(new URLSearchParams(next), { replace: true });
  };
  return [filters, change, () => setSearch({}, { replace: true })];
}
