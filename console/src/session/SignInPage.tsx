import { useLocation, useNavigate } from "react-router";
import { useText } from "../i18n";
import { Entrance } from "./Entrance";
import { SignInForm } from "./SignInForm";

/** The page to sign in. Afterwards the page that was asked for opens. */
export function SignInPage() {
  const t = useText();
  const navigate = useNavigate();
  const { state } = useLocation() as {
    state: { nextPathname?: string; nextSearch?: string } | null;
  };
  const next = `${state?.nextPathname ?? "/"}${state?.nextSearch ?? ""}`;
  return (
    <Entrance title={t("session.welcome")}>
      <SignInForm onSignedIn={() => void navigate(next, { replace: true })} />
    </Entrance>
  );
}
