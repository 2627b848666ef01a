import { Alert, Box, Button, FormHelperText, Skeleton, useMediaQuery } from "@mui/material";
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react";
import { useInput, useStore } from "react-admin";
import { useSaveCheck } from "../../../components/form/GuardedForm";
import { ToggleButtons } from "../../../components/ToggleButtons";
import { useText } from "../../../i18n";
import type { CodeMirrorProps } from "./CodeMirror";
import { HtmlPreview } from "./HtmlPreview";
import { TagList, useSaveQuestion } from "./SaveQuestion";
import { tagProblems } from "./tags";
import type { VisualEditorProps } from "./visual/VisualEditor";

const VIEWS = ["visual", "code", "both", "preview"] as const;
type View = (typeof VIEWS)[number];

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  readOnly?: boolean;
  height?: number;
}

/** HTML as it looks, as code, and in a preview. */
export function HtmlEditor({ label, value, onChange, readOnly = false, height = 420 }: Props) {
  const t = useText();
  const isWide = useMediaQuery("(min-width: 900px)");
  const [preferred, setPreferred] = useStore<View>("pages.editor.view", "visual");
  const [chosen, setChosen] = useState<View>(preferred);
  /** What the visual editor would not keep of the HTML that it refused. */
  const [unfit, setUnfit] = useState<{ html: string; losses: string[] } | null>(null);
  const [agreed, setAgreed] = useState<string | null>(null);
  const shown = useDeferredValue(value);
  const problems = useMemo(() => tagProblems(shown), [shown]);

  const views = VIEWS.filter(
    (one) => (one !== "both" || isWide) && (one !== "visual" || !readOnly),
  );
  const view = views.includes(chosen) ? chosen : "code";
  const isCode = view === "code" || view === "both";

  const choose = (next: View) => {
    setChosen(next);
    // A preview is looked at once; the way of writing is a habit.
    if (next !== "preview") {
      setPreferred(next);
    }
  };

  return (
    <>
      <ToggleButtons
        aria-label={t("pages.editor.view")}
        value={view}
        options={views}
        text={(one) => t(`pages.editor.views.${one}`)}
        onChange={choose}
        sx={{ mb: 1 }}
        buttonSx={{ px: { xs: 1, sm: 1.5 }, py: 0.5 }}
      />
      {view !== "visual" && unfit?.html === value && (
        <Alert severity="info" sx={{ mb: 1 }}>
          {t("pages.editor.unfit.text")}{" "}
          {unfit.losses.length > 0 &&
            t("pages.editor.unfit.losses", { names: unfit.losses.slice(0, 8).join(", ") })}
          <Box sx={{ mt: 1 }}>
            <Button
              color="inherit"
              variant="outlined"
              size="small"
              onClick={() => {
                setAgreed(value);
                setChosen("visual");
              }}
            >
              {t("pages.editor.unfit.agree")}
            </Button>
          </Box>
        </Alert>
      )}
      {view === "visual" && (
        <Suspense fallback={<Skeleton variant="rounded" height={height} />}>
          <VisualEditor
            label={label}
            value={value}
            onChange={onChange}
            agreed={agreed}
            onUnfit={(losses) => {
              setUnfit({ html: value, losses });
              setChosen("code");
            }}
            height={height}
          />
        </Suspense>
      )}
      <Box
        sx={{
          display: "grid",
          gap: 1.5,
          gridTemplateColumns: view === "both" ? "repeat(2, minmax(0, 1fr))" : "minmax(0, 1fr)",
        }}
      >
        {isCode && (
          <CodeEditor
            label={label}
            language="html"
            value={value}
            onChange={onChange}
            readOnly={readOnly}
            height={height}
          />
        )}
        {(view === "both" || view === "preview") && <HtmlPreview html={shown} height={height} />}
      </Box>
      {isCode && problems.length > 0 && (
        <Alert severity="warning" role="status" sx={{ mt: 1 }}>
          <TagList problems={problems} />
        </Alert>
      )}
    </>
  );
}

/** HTML as a field of a form. */
export function HtmlInput({ source, label }: { source: string; label: string }) {
  const { field, fieldState } = useInput<string>({ source, parse: (text: string) => text });
  const { error, isDirty } = fieldState;
  const question = useSaveQuestion(isDirty ? field.value : "");
  useSaveCheck(question.ask);
  return (
    <>
      <HtmlEditor
        label={label}
        value={field.value}
        onChange={field.onChange}
        readOnly={field.disabled === true}
      />
      {error?.message !== undefined && <FormHelperText error>{error.message}</FormHelperText>}
      {question.dialog}
    </>
  );
}

const VisualEditor = lazy<React.ComponentType<VisualEditorProps>>(
  () => import("./visual/VisualEditor"),
);

const CodeMirror = lazy(() => import("./CodeMirror"));

/** An editor for source text. It is large, so it is loaded when it is first shown. */
export function CodeEditor(props: CodeMirrorProps) {
  return (
    <Suspense fallback={<Skeleton variant="rounded" height={props.height} />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
