import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import { useText } from "../i18n";
import { useErrorText } from "../i18n/describe";

/** Why something could not be read, with a button that tries again. */
export function LoadError({ error, retry }: { error: unknown; retry: () => unknown }) {
  const t = useText();
  const errorText = useErrorText();
  return (
    <Alert
      severity="error"
      action={
        <Button color="inherit" onClick={() => void retry()}>
          {t("common.retry")}
        </Button>
      }
    >
      {errorText(error)}
    </Alert>
  );
}
