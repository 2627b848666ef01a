import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogContentText from "@mui/material/DialogContentText";
import DialogTitle from "@mui/material/DialogTitle";
import Radio from "@mui/material/Radio";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { type ReactNode, useId, useState } from "react";
import { useText } from "../../i18n";
import type { Conflict } from "./conflict";

interface Props {
  conflicts: Conflict[];
  label: (field: string) => string;
  /** A value in words. Without it, as JSON. */
  show?: (field: string, value: unknown) => ReactNode;
  /** Called with the fields for which the person keeps their own value. */
  onChoose: (kept: Set<string>) => void;
  onCancel: () => void;
}

/** Shows both versions, field by field, and lets the person choose. */
export function ConflictDialog({ conflicts, label, show, onChoose, onCancel }: Props) {
  const t = useText();
  const id = useId();
  const [kept, setKept] = useState<Set<string>>(new Set());
  const toggle = (field: string, keep: boolean) => {
    const next = new Set(kept);
    next[keep ? "add" : "delete"](field);
    setKept(next);
  };
  const inWords = (field: string, value: unknown) => {
    if (value === null || value === undefined || value === "") {
      return <Box sx={{ fontStyle: "italic" }}>{t("common.conflict.empty")}</Box>;
    }
    if (show !== undefined) {
      return show(field, value);
    }
    return typeof value === "string" ? value : JSON.stringify(value);
  };

  return (
    <Dialog open onClose={onCancel} aria-labelledby={id} maxWidth="md" fullWidth>
      <DialogTitle id={id}>{t("common.conflict.title")}</DialogTitle>
      <DialogContent>
        <DialogContentText>{t("common.conflict.hint")}</DialogContentText>
        <Table size="small" sx={{ mt: 2 }}>
          <TableHead>
            <TableRow>
              <TableCell>{t("common.conflict.field")}</TableCell>
              <TableCell>{t("common.conflict.theirs")}</TableCell>
              <TableCell>{t("common.conflict.yours")}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {conflicts.map(({ field, theirs, yours }) => (
              <TableRow key={field}>
                <TableCell component="th">{label(field)}</TableCell>
                {[
                  { keep: false, value: theirs, text: t("common.conflict.takeTheirs") },
                  { keep: true, value: yours, text: t("common.conflict.keepYours") },
                ].map(({ keep, value, text }) => (
                  <TableCell key={text} sx={{ overflowWrap: "anywhere" }}>
                    <Box component="label" sx={{ display: "flex", alignItems: "center", gap: 1 }}>
                      <Radio
                        size="small"
                        checked={kept.has(field) === keep}
                        onChange={() => toggle(field, keep)}
                        slotProps={{ input: { "aria-label": `${label(field)}: ${text}` } }}
                      />
                      <Box>{inWords(field, value)}</Box>
                    </Box>
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
      <DialogActions>
        <Button onClick={onCancel}>{t("common.cancel")}</Button>
        <Button variant="contained" onClick={() => onChoose(kept)}>
          {t("common.conflict.save")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
