import { useSearchParams } from "react-router";

type Values = Record<string, string | number | null | undefined>;

/** The parameters of the address, and a function that changes some. Empty ones are removed. */
export function useAddress(options: { replace?: boolean } = {}) {
  const [search, setSearch] = useSearchParams();
  const change = (values: Values) =>
    setSearch((old) => {
      const next = new URLSearchParams(old);
      for (const [name, value] of Object.entries(values)) {
        if (value === null || value === undefined || value === "") {
          next.delete(name);
        } else {
          next.set(name, String(value));
        }
      }
      return next;
    }, options);
  return [search, change] as const;
}
