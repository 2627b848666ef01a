import { RESOURCES } from "../api/resources";
import { MENU } from "./menu";

/** The permission that a page needs. Pages without one are open to everybody who is signed in. */
export function neededFor(pathname: string): string | undefined {
  const [, first = "", second] = pathname.split("/");
  const info = Object.entries(RESOURCES).find(([name]) => name === first)?.[1];
  if (info !== undefined && second === "create") {
    return info.write;
  }
  return MENU.flatMap(({ items }) => items).find(({ path }) => path === `/${first}`)?.permission;
}
