import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Collapse from "@mui/material/Collapse";
import Typography from "@mui/material/Typography";
import { useId, useState } from "react";
import { AuditIcon } from "../../components/audit/AuditIcon";
import type { Entry } from "../../components/audit/sentence";
import { AuditSentence } from "../../components/AuditSentence";
import { State } from "../../components/State";
import { When } from "../../components/When";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";
import { changes } from "./diff";
import { DiffTable } from "./DiffTable";

/** One entry: what happened, when, and on request what exactly changed. */
export function AuditRow({ entry, isFresh }: { entry: Entry; isFresh: boolean }) {
  const t = useText();
  const tokens = useTokens();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const fields = changes(entry.before, entry.after);
  return (
    <Box
      component="li"
      sx={{
        px: { xs: 1.5, sm: 2.5 },
        py: 1.25,
        borderTop: 1,
        borderColor: "divider",
        ...(isFresh && { bgcolor: tokens.accentSoft }),
      }}
    >
      <Box sx={{ display: "flex", alignItems: "flex-start", gap: 1.5 }}>
        <AuditIcon action={entry.action} />
        <Box sx={{ flexGrow: 1, minWidth: 0 }}>
          <Typography variant="body2" component="div" sx={{ pt: 0.25 }}>
            <AuditSentence entry={entry} />
          </Typography>
          <Typography
            variant="body2"
            component="div"
            color="textSecondary"
            sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 1.5 }}
          >
            <When at={entry.at} />
            {entry.ip !== null && <span>{entry.ip}</span>}
            {isFresh && <State tone="accent" text={t("audit.fresh")} />}
          </Typography>
        </Box>
        <Button
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={t("audit.details")}
          sx={{ flexShrink: 0, minWidth: 0 }}
          endIcon={
            <ExpandMore sx={{ transition: "rotate 0.15s", rotate: isOpen ? "180deg" : "none" }} />
          }
        >
          <Box component="span" sx={{ display: { xs: "none", sm: "inline" } }}>
            {t("audit.details")}
          </Box>
        </Button>
      </Box>
      <Collapse in={isOpen} id={id} unmountOnExit>
        <Box sx={{ pt: 1, pl: { sm: 5.5 } }}>
          {fields.length === 0 ? (
            <Typography variant="body2" color="textSecondary">
              {t("audit.noFields")}
            </Typography>
          ) : (
            <DiffTable changes={fields} />
          )}
          <Typography
            variant="body2"
            color="textSecondary"
            component="div"
            sx={{ display: "flex", flexWrap: "wrap", columnGap: 3, pt: 1 }}
          >
            <Detail label={t("audit.action")} value={entry.action} />
            <Detail label={t("audit.request")} value={entry.request_id} />
            <Detail label={t("audit.entry")} value={String(entry.id)} />
          </Typography>
        </Box>
      </Collapse>
    </Box>
  );
}

function Detail({ label, value }: { label: string; value: string }) {
  return (
    <span>
      {label}:{" "}
      <Box component="code" sx={{ fontFamily: MONOSPACE, overflowWrap: "anywhere" }}>
        {value}
      </Box>
    </span>
  );
}
