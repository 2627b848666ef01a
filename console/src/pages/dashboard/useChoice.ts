import { useEffect, useState } from "react";
import { useAddress } from "../../components/useAddress";
import { before, type Days, lastDays, type Length, lengthIn } from "../payments/period";

/** What the person wants to see. It is in the address, so that a link shows the same. */
export interface Choice {
  length: Length;
  current: Days;
  previous: Days;
  /** The id of a currency; null for the one with the most invoices. */
  currency: number | null;
}

export function useChoice(): [Choice, (changes: { days?: Length; currency?: number }) => void] {
  const [search, change] = useAddress({ replace: true });
  const length = lengthIn(search);
  const currency = search.get("currency");
  const current = lastDays(length, useNow());
  const choice = {
    length,
    current,
    previous: before(current),
    currency: currency === null ? null : Number(currency),
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
