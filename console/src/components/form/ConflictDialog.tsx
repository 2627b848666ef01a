import {
  Box,
  Button,
  DialogContentText,
  Radio,
  Table,
  TableBody,
  TableCell,
  TableHead,
  TableRow,
} from "@mui/material";
import { type ReactNode, useState } from "react";
import { Modal } from "../Modal";
import { useFormat, useText } from "../../i18n";
import type { Conflict } from "./conflict";

/** Who saved the other version, and when. */
export interface Author {
  name: string;
  at: string;
}

interface Props {
  conflicts: Conflict[];
  /** Null if the person may not know. */
  author: Author | null;
  label: (field: string) => string;
  /** A value in words. Without it, as JSON. */
  show?: (field: string, value: unknown) => ReactNode;
  /** Called with the fields for which the person keeps their own value. */
  onChoose: (kept: Set<string>) => void;
  onCancel: () => void;
}

/** Shows both versions, field by field, and lets the person choose. */
export function ConflictDialog(props: Props) {
  const { conflicts, author, label, show, onChoose, onCancel } = props;
  const t = useText();
  const format = useFormat();
  // Nothing is chosen beforehand: a choice that was not made would lose one of the two texts.
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const kept = () => new Set([...choices].filter(([, keep]) => keep).map(([field]) => field));
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
    <Modal
      title={t("common.conflict.title")}
      width="md"
      onClose={onCancel}
      actions={
        <>
          <Button onClick={onCancel}>{t("common.cancel")}</Button>
          <Button
            variant="contained"
            disabled={choices.size < conflicts.length}
            onClick={() => onChoose(kept())}
          >
            {t("common.conflict.save")}
          </Button>
        </>
      }
    >
      <DialogContentText>
        {author !== null &&
          `${t("common.conflict.by", { name: author.name, when: format.relative(author.at) })} `}
        {t("common.conflict.hint")}
      </DialogContentText>
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
                      checked={choices.get(field) === keep}
                      onChange={() => setChoices(new Map(choices).set(field, keep))}
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
    </Modal>
  );
}
