import Dialog from "@mui/material/Dialog";
import DialogContent from "@mui/material/DialogContent";
import DialogContentText from "@mui/material/DialogContentText";
import DialogTitle from "@mui/material/DialogTitle";
import Link from "@mui/material/Link";
import { useId } from "react";
import { useText } from "../i18n";
import { SignInForm } from "./SignInForm";
import { leave, useSessionSnapshot } from "./session";

/** Lets a person whose session ended sign in again on the same page, so that no work is lost. */
export function RenewDialog() {
  const t = useText();
  const id = useId();
  const { session, renewing } = useSessionSnapshot();
  if (!renewing) {
    return null;
  }
  return (
    <Dialog open aria-labelledby={id} maxWidth="xs" fullWidth>
      <DialogTitle id={id}>{t("session.ended")}</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>{t("session.endedHint")}</DialogContentText>
        <SignInForm login={session?.operator?.username ?? ""} onSignedIn={() => undefined} />
        <Link component="button" variant="body2" sx={{ mt: 2 }} onClick={leave}>
          {t("session.otherPerson")}
        </Link>
      </DialogContent>
    </Dialog>
  );
}
