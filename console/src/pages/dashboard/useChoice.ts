import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { type Length, LENGTHS, type Period, periods } from "./period";

/** What the person wants to see. It is in the address, so that a link shows the same. */
export interface Choice {
  length: Length;
  current: Period;
  previous: Period;
  /** The id of a currency; null for the one with the most invoices. */
  currency: number | null;
}

const USUAL: Length = 30;

export function useChoice(): [Choice, (changes: { days?: Length; currency?: number }) => void] {
  const [search, setSearch] = useSearchParams();
  const days = Number(search.get("days"));
  const length = LENGTHS.find((one) => one === days) ?? USUAL;
  const currency = search.get("currency");
  const now = useNow();
  const choice = {
    length,
    ...periods(length, now),
    currency: currency === null ? null : Number(currency),
  };
  const change = (changes: { days?: Length; currency?: number }) => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        Object.entries(changes).forEach(([name, value]) => next.set(name, String(value)));
        return next;
      },
      { replace: true },
    );
  };
  return [choice, change];
}

const MINUTE_MS = 60_000;

/** A dashboard may stay open for days, so the period moves on. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
