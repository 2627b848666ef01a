import { Button } from "@mui/material";
import { useState } from "react";
import { useCloseNotification, useNotify, useRefresh } from "react-admin";
import { useErrorText, useText } from "../i18n";

type Run = () => Promise<unknown>;

/** Runs what a button does, and says why it failed. */
export function useAct(): [isBusy: boolean, act: (action: Run) => void] {
  const notify = useNotify();
  const errorText = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const act = async (action: Run) => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      notify(errorText(error), { type: "error" });
    } finally {
      setBusy(false);
    }
  };
  return [isBusy, (action) => void act(action)];
}

/** Long enough to notice a mistake. */
const UNDO_MS = 10_000;

/**
 * Says that an action succeeded, and reads again what is on the screen. What can be reversed has a
 * button that does so.
 */
export function useDone(): (text: string, undo?: Run) => void {
  const notify = useNotify();
  const refresh = useRefresh();
  return (text, undo) => {
    refresh();
    notify(text, {
      type: "success",
      ...(undo && { autoHideDuration: UNDO_MS, action: <UndoButton undo={undo} /> }),
    });
  };
}

function UndoButton({ undo }: { undo: Run }) {
  const t = useText();
  const done = useDone();
  const close = useCloseNotification();
  const [isBusy, act] = useAct();
  const run = async () => {
    await undo();
    close();
    done(t("common.undone"));
  };
  return (
    <Button color="inherit" loading={isBusy} onClick={() => act(run)}>
      {t("common.undo")}
    </Button>
  );
}
