import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import Typography from "@mui/material/Typography";
import { useId } from "react";
import { CopyField } from "../../components/CopyField";
import { useText } from "../../i18n";
import { MONOSPACE } from "../../theme/tokens";
import { useTokens } from "../../theme/theme";

interface Props {
  title: string;
  secret: string;
  /** What happens to the secret before, if there was one. */
  note?: string;
  onClose: () => void;
}

/** How a receiver computes the signature, as a formula that reads the same in every language. */
const FORMULA = `key       = base64_decode(secret without "whsec_")
signed    = webhook-id + "." + webhook-timestamp + "." + body
signature = "v1," + base64(hmac_sha256(key, signed))`;

/** Shows a signing secret, once, and how to use it. It does not close by a stray click. */
export function SecretDialog({ title, secret, note, onClose }: Props) {
  const t = useText();
  const tokens = useTokens();
  const id = useId();
  return (
    <Dialog open aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {t("common.shownOnce")}
        </Alert>
        <CopyField label={t("webhooks.secret.label")} value={secret} />
        {note !== undefined && (
          <Typography variant="body2" sx={{ mt: 2 }}>
            {note}
          </Typography>
        )}
        <Typography variant="h3" sx={{ mt: 3, mb: 0.5 }}>
          {t("webhooks.secret.verify")}
        </Typography>
        <Typography variant="body2" color="textSecondary">
          {t("webhooks.secret.how")}
        </Typography>
        <Box
          component="pre"
          role="region"
          tabIndex={0}
          aria-label={t("webhooks.secret.verify")}
          sx={{
            mt: 1.5,
            mb: 0,
            p: 1.5,
            borderRadius: 1,
            overflowX: "auto",
            bgcolor: tokens.inset,
            fontFamily: MONOSPACE,
            fontSize: 12,
          }}
        >
          {FORMULA}
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          {t("webhooks.secret.done")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
