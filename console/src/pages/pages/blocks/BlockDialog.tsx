import {
  Alert,
  Box,
  Button,
  FormHelperText,
  MenuItem,
  Stack,
  TextField,
  useMediaQuery,
} from "@mui/material";
import { useState } from "react";
import { useLocale, useNotify } from "react-admin";
import { ApiError } from "../../../api/error";
import { Modal } from "../../../components/Modal";
import { useErrorText, useText } from "../../../i18n";
import { faultTexts } from "../../../i18n/faults";
import { CodeEditor, HtmlEditor } from "../editor/HtmlEditor";
import { useSaveQuestion } from "../editor/SaveQuestion";
import {
  type Block,
  blockOf,
  type Draft,
  draftOf,
  EMPTY,
  type Kind,
  KINDS,
  type NewBlock,
  parseJson,
} from "./draft";

interface Props {
  /** The block to change, or nothing to add one. */
  block: Block | null;
  save: (block: NewBlock) => Promise<unknown>;
  onClose: () => void;
}

/** The form of one block. What it asks for depends on the kind of the block. */
export function BlockDialog({ block, save, onClose }: Props) {
  const t = useText();
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
  const question = useSaveQuestion(
    draft.kind === "text" && draft.html !== start.html ? draft.html : "",
  );

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
    if (!(await question.ask())) {
      return;
    }
    setBusy(true);
    try {
      await save(result.block);
      notify(t("common.saved"), { type: "success" });
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code === "validation_failed") {
        const entries = Object.entries(faultTexts(error, locale));
        setFaults(
          Object.fromEntries(
            entries.map(([field, text]) => [field.replace(/^content\./, ""), text]),
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
    <Modal
      title={t(block === null ? "pages.blocks.addTitle" : "pages.blocks.editTitle")}
      width="md"
      fullScreen={isNarrow}
      // A click beside the dialog or Escape must not lose what was written.
      onClose={() => !isDirty && onClose()}
      actions={
        <>
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button variant="contained" loading={isBusy} onClick={() => void submit()}>
            {t(block === null ? "pages.blocks.add" : "common.save")}
          </Button>
        </>
      }
    >
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
        {question.dialog}
      </Stack>
    </Modal>
  );
}

interface ImageFieldsProps {
  value: Draft["image"];
  faults: Record<string, string>;
  onChange: (value: Draft["image"]) => void;
}

const FIELDS = ["url", "alt", "width", "height"] as const;

/** The fields of an image. */
function ImageFields({ value, faults, onChange }: ImageFieldsProps) {
  const t = useText();
  return (
    <Box sx={{ display: "grid", gap: 2, gridTemplateColumns: "repeat(2, minmax(0, 1fr))" }}>
      {FIELDS.map((name) => {
        const isSize = name === "width" || name === "height";
        return (
          <TextField
            key={name}
            label={t(`pages.blocks.image.${name}`)}
            value={value[name]}
            onChange={(event) => onChange({ ...value, [name]: event.target.value })}
            error={faults[name] !== undefined}
            helperText={faults[name] ?? t(`pages.blocks.imageHints.${name}`)}
            sx={isSize ? {} : { gridColumn: "1 / -1" }}
            {...(isSize && { slotProps: { htmlInput: { inputMode: "numeric" } } })}
          />
        );
      })}
    </Box>
  );
}

interface OtherFieldsProps {
  value: Draft["other"];
  faults: Record<string, string>;
  /** The type of a block that exists stays. */
  isNew: boolean;
  onChange: (value: Draft["other"]) => void;
}

/** A block that only the site's theme knows: its type, and its content as JSON. */
function OtherFields({ value, faults, isNew, onChange }: OtherFieldsProps) {
  const t = useText();
  const parsed = parseJson(value.json);
  const problem =
    faults.content ??
    (!("reason" in parsed)
      ? undefined
      : parsed.reason === "null"
        ? t("pages.blocks.jsonNull")
        : t("pages.blocks.jsonWrong", { reason: parsed.reason }));
  return (
    <>
      <TextField
        label={t("pages.blocks.type")}
        value={value.type}
        disabled={!isNew}
        onChange={(event) => onChange({ ...value, type: event.target.value })}
        error={faults.type !== undefined}
        helperText={faults.type ?? t("pages.blocks.typeHint")}
      />
      <div>
        <CodeEditor
          label={t("pages.blocks.json")}
          language="json"
          value={value.json}
          onChange={(json) => onChange({ ...value, json })}
          height={280}
        />
        <FormHelperText error={problem !== undefined} role="status">
          {problem ?? t("pages.blocks.jsonValid")}
        </FormHelperText>
      </div>
    </>
  );
}
