import { Box } from "@mui/material";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "../../../components/ConfirmDialog";
import { useText } from "../../../i18n";
import { type TagProblem, tagProblems } from "./tags";

/** As many as a person reads. */
const SHOWN = 5;

/** Tags without their other half, a sentence each. */
export function TagList({ problems }: { problems: TagProblem[] }) {
  const t = useText();
  const rest = problems.length - SHOWN;
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
      {problems.slice(0, SHOWN).map(({ line, tag, kind }, index) => (
        <li key={index}>{t(`pages.editor.tags.${kind}`, { line, tag })}</li>
      ))}
      {rest > 0 && <li>{t("pages.editor.tags.more", { smart_count: rest })}</li>}
    </Box>
  );
}

interface Question {
  /** Asks if there is something to ask. Resolves to whether the HTML may be saved. */
  ask: () => Promise<boolean>;
  dialog: ReactNode;
}

interface Asked {
  problems: TagProblem[];
  answer: (isAccepted: boolean) => void;
}

/** Asks before HTML with unbalanced tags is saved. */
export function useSaveQuestion(html: string): Question {
  const t = useText();
  const [asked, setAsked] = useState<Asked | null>(null);
  return {
    ask: () => {
      const problems = tagProblems(html);
      return problems.length === 0
        ? Promise.resolve(true)
        : new Promise((answer) => setAsked({ problems, answer }));
    },
    dialog: asked !== null && (
      <ConfirmDialog
        title={t("pages.editor.tags.title")}
        confirm={t("pages.editor.tags.saveAnyway")}
        onConfirm={() => Promise.resolve(asked.answer(true))}
        onClose={() => {
          // After a confirmation the answer is known already.
          asked.answer(false);
          setAsked(null);
        }}
      >
        <TagList problems={asked.problems} />
      </ConfirmDialog>
    ),
  };
}
