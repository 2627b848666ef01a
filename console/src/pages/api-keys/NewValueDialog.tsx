import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Stack from "@mui/material/Stack";
import { useId } from "react";
import { CopyField } from "../../components/CopyField";
import { useText } from "../../i18n";

interface Props {
  name: string;
  value: string;
  onClose: () => void;
}

/** Shows a value once. Only the button closes it: a click beside it would lose the value. */
export function NewValueDialog({ name, value, onClose }: Props) {
  const t = useText();
  const id = useId();
  return (
    <Dialog open aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id}>{t("apiKeys.newValueTitle", { name })}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2 }}>
          <Alert severity="warning">{t("common.shownOnce")}</Alert>
          <CopyField label={t("apiKeys.value")} value={value} />
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t("common.close")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
