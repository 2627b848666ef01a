import { useLocale } from "react-admin";
import { type Format, formatOf } from "./format";

export function useFormat(): Format {
  return formatOf(useLocale());
}
