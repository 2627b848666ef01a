import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useNavigate } from "react-router";
import { useText } from "../i18n";
import { Entrance } from "./Entrance";
import { SignInForm } from "./SignInForm";

/** The page to sign in. Afterwards the page that was asked for opens. */
export function SignInPage() {
  const t = useText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { state } = useLocation() as {
    state: { nextPathname?: string; nextSearch?: string } | null;
  };
  const next = `${state?.nextPathname ?? "/"}${state?.nextSearch ?? ""}`;
  const open = () => {
    // What is cached may belong to the operator who used this browser before.
    queries.clear();
    void navigate(next, { replace: true });
  };
  return (
    <Entrance title={t("session.welcome")}>
      <SignInForm onSignedIn={open} />
    </Entrance>
  );
}
