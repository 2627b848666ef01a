/** Exact decimal numbers. Money is never added or converted with floating-point arithmetic. */

import { AMOUNT_PLACES } from "../../i18n/format";

/** A number as text, without an exponent: `0.0000001`. */
export type Decimal = `${number}`;

/**
 * Reads what a person typed: `1 234,5` and `1234.5` are the same. Null if it is not a number, or
 * could not be sent without losing digits.
 */
export function parseDecimal(typed: string): number | null {
  const text = typed.replace(/\s/g, "").replace(",", ".");
  const match = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(text);
  if (match === null) {
    return null;
  }
  const [, sign = "", whole = "", fraction = ""] = match;
  const exact = sign + (fraction === "" ? whole : `${whole}.${fraction}`);
  const value = Number(exact);
  return plain(value) === exact ? value : null;
}

/** A number in the shortest notation that means exactly this number, without an exponent. */
export function plain(value: number): Decimal {
  const [digits = "", exponent] = String(value).split("e");
  if (exponent === undefined) {
    return digits as Decimal;
  }
  const [whole = "", fraction = ""] = digits.split(".");
  const shift = Number(exponent);
  return (
    shift < 0
      ? `0.${"0".repeat(-shift - 1)}${whole}${fraction}`
      : `${whole}${fraction.padEnd(shift, "0")}`
  ) as Decimal;
}

/** The sum of amounts, to the last place. */
export function sum(amounts: readonly number[]): Decimal {
  return fromUnits(amounts.reduce((units, amount) => units + toUnits(amount), 0n));
}

/** How much one amount exceeds a smaller one, to the last place. */
export function difference(larger: number, smaller: number): Decimal {
  return fromUnits(toUnits(larger) - toUnits(smaller));
}

function fromUnits(units: bigint): Decimal {
  const digits = units.toString().padStart(AMOUNT_PLACES + 1, "0");
  const fraction = digits.slice(-AMOUNT_PLACES).replace(/0+$/, "");
  const whole = digits.slice(0, -AMOUNT_PLACES);
  return (fraction === "" ? whole : `${whole}.${fraction}`) as Decimal;
}

/** An amount in units of the last place. */
function toUnits(amount: number): bigint {
  const [whole = "0", fraction = ""] = plain(amount).split(".");
  return BigInt(whole + fraction.slice(0, AMOUNT_PLACES).padEnd(AMOUNT_PLACES, "0"));
}
