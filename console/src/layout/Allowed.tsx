import Alert from "@mui/material/Alert";
import type { ReactNode } from "react";
import { useLocation } from "react-router";
import { RESOURCES, type ResourceInfo } from "../api/resources";
import { useText } from "../i18n";
import { grants, useSession } from "../session/session";
import { MENU } from "./menu";

/** The permission that a page needs: to read, or to write if it creates something. */
function neededFor(pathname: string): string | undefined {
  const [, name = "", rest] = pathname.split("/");
  const resource = (RESOURCES as Record<string, ResourceInfo>)[name];
  if (resource !== undefined) {
    return rest === "create" ? resource.write : resource.read;
  }
  const items = MENU.flatMap((group) => group.items);
  return items.find(({ path }) => path === `/${name}`)?.permission;
}

/** Explains why a page does not open that a link or a bookmark led to. */
export function Allowed({ children }: { children: ReactNode }) {
  const t = useText();
  const session = useSession();
  const { pathname } = useLocation();
  const permission = neededFor(pathname);
  if (session === null || permission === undefined || grants(session, permission)) {
    return children;
  }
  return <Alert severity="warning">{t("errors.missingPermission", { permission })}</Alert>;
}
