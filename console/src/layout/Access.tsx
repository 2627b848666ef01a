import LockOutlined from "@mui/icons-material/LockOutlined";
import Button from "@mui/material/Button";
import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { EmptyState } from "../components/EmptyState";
import { useText } from "../i18n";
import { grants, useSession } from "../session/session";
import { neededFor } from "./permission";

/** Shows a page, or why it is not shown. A link may lead to a page that the operator may not open. */
export function Access({ children }: { children: ReactNode }) {
  const t = useText();
  const session = useSession();
  const permission = neededFor(useLocation().pathname);
  if (session === null || permission === undefined || grants(session, permission)) {
    return children;
  }
  return (
    <EmptyState
      icon={LockOutlined}
      title={t("errors.forbidden")}
      text={t("errors.missingPermission", { permission })}
      action={
        <Button component={Link} to="/" variant="contained">
          {t("shell.notFound.back")}
        </Button>
      }
    />
  );
}
