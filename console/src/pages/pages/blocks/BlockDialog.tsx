import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import MenuItem from "@mui/material/MenuItem";
import Stack from "@mui/material/Stack";
import TextField from "@mui/material/TextField";
import useMediaQuery from "@mui/material/useMediaQuery";
import { useId, useState } from "react";
import { useLocale, useNotify } from "react-admin";
import { ApiError } from "../../../api/error";
import { useText } from "../../../i18n";
import { useErrorText } from "../../../i18n/describe";
import { fault } from "../../../i18n/faults";
import { HtmlEditor } from "../editor/HtmlEditor";
import {
  type Block,
  blockOf,
  type Draft,
  draftOf,
  EMPTY,
  type Kind,
  KINDS,
  type NewBlock,
} from "./draft";
import { ImageFields } from "./ImageFields";
import { OtherFields } from "./OtherFields";

interface Props {
  /** The block to change, or nothing to add one. */
  block: Block | null;
  save: (block: NewBlock) => Promise<unknown>;
  onClose: () => void;
}

/** The form of one block. What it asks for depends on the kind of the block. */
export function BlockDialog({ block, save, onClose }: Props) {
  const t = useText();
  const id = useId();
  const locale = useLocale();
  const notify = useNotify();
  const errorText = useErrorText();
  const isNarrow = useMediaQuery("(max-width: 700px)");
  const [start] = useState<Draft>(() => (block === null ? EMPTY : draftOf(block)));
  const [draft, setDraft] = useState(start);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const isDirty = draft !== start;

  const change = (part: Partial<Draft>) => {
    setDraft({ ...draft, ...part });
    setFaults({});
  };

  const submit = async () => {
    const result = blockOf(draft);
    setProblem(null);
    if ("fault" in result) {
      const { field, reason } = result.fault;
      setFaults({
        [field]: reason === null ? t("pages.blocks.wholeNumber") : t("pages.blocks.noJson"),
      });
      return;
    }
    setBusy(true);
    try {
      await save(result.block);
      notify(t("common.saved"), { type: "success" });
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code === "validation_failed") {
        const entries = Object.entries(error.fields);
        setFaults(
          Object.fromEntries(
            entries.map(([field, messages]) => [
              field.replace(/^content\./, ""),
              messages.map((message) => fault(message, locale)).join(" "),
            ]),
          ),
        );
      } else {
        setProblem(errorText(error));
      }
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      // A click beside the dialog or Escape must not lose what was written.
      onClose={() => !isDirty && onClose()}
      aria-labelledby={id}
      maxWidth="md"
      fullWidth
      fullScreen={isNarrow}
    >
      <DialogTitle id={id}>
        {t(block === null ? "pages.blocks.addTitle" : "pages.blocks.editTitle")}
      </DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2, pt: 1 }}>
          {problem !== null && <Alert severity="error">{problem}</Alert>}
          {block === null && (
            <TextField
              select
              label={t("pages.blocks.kind")}
              value={draft.kind}
              onChange={(event) => change({ kind: event.target.value as Kind })}
              helperText={t(`pages.blocks.kindHints.${draft.kind}`)}
            >
              {KINDS.map((kind) => (
                <MenuItem key={kind} value={kind}>
                  {t(`pages.blocks.kinds.${kind}`)}
                </MenuItem>
              ))}
            </TextField>
          )}
          {draft.kind === "text" && (
            <div>
              <HtmlEditor
                label={t("pages.blocks.html")}
                value={draft.html}
                onChange={(html) => change({ html })}
                height={320}
              />
              {faults.content !== undefined && <Alert severity="error">{faults.content}</Alert>}
            </div>
          )}
          {draft.kind === "image" && (
            <ImageFields
              value={draft.image}
              faults={faults}
              onChange={(image) => change({ image })}
            />
          )}
          {draft.kind === "other" && (
            <OtherFields
              value={draft.other}
              faults={faults}
              isNew={block === null}
              onChange={(other) => change({ other })}
            />
          )}
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{t("common.cancel")}</Button>
        <Button variant="contained" loading={isBusy} onClick={() => void submit()}>
          {t(block === null ? "pages.blocks.add" : "common.save")}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
