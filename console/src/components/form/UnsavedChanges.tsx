import { Button, DialogContentText, Paper, Typography } from "@mui/material";
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from "react";
import { useNotify } from "react-admin";
import { useBeforeUnload, useBlocker, useNavigate } from "react-router";
import { useText } from "../../i18n";
import { Modal } from "../Modal";

/**
 * `refused`: fields are marked. `stays`: the form shows something else that must be read before the
 * page is left, such as a new key or a conflict.
 */
export type Outcome = "saved" | "stays" | "refused";

/** A form with changes that are not saved. */
export interface DirtyForm {
  /** Whether the bar of the page offers to save it. Other forms have a button of their own. */
  hasBar: boolean;
  save: () => Promise<Outcome>;
  discard: () => void;
}

interface Guard {
  add: (id: string, form: DirtyForm) => void;
  remove: (id: string) => void;
  /** Goes on without a question: what the form is about was just created or deleted. */
  leave: (go: () => void) => void;
}

const NO_GUARD: Guard = {
  add: () => undefined,
  remove: () => undefined,
  leave: (go) => go(),
};

const GuardContext = createContext<Guard>(NO_GUARD);

export function useGuard(): Guard {
  return useContext(GuardContext);
}

/** Opens another page, and loses what is not saved on this one. */
export function useLeave(): (path: string) => void {
  const { leave } = useGuard();
  const navigate = useNavigate();
  return (path) => leave(() => void navigate(path));
}

/**
 * Guards the forms of a page. A router has one blocker, so there is one for all forms. While one of
 * them has changes, a bar stays in sight that saves or discards them.
 */
export function UnsavedChanges({ children }: { children: ReactNode }) {
  const t = useText();
  const notify = useNotify();
  const [forms, setForms] = useState<ReadonlyMap<string, DirtyForm>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const isFree = useRef(false);
  /** Changes at once. The state of React changes later, and the page may be left in between. */
  const isDirty = useRef(false);

  const guard = useMemo<Guard>(() => {
    const known = new Map<string, DirtyForm>();
    const show = () => {
      isDirty.current = known.size > 0;
      setForms(new Map(known));
    };
    return {
      add: (id, form) => {
        known.set(id, form);
        show();
      },
      remove: (id) => {
        known.delete(id);
        show();
      },
      leave: (go) => {
        isFree.current = true;
        go();
        isFree.current = false;
      },
    };
  }, []);

  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty.current && !isFree.current && currentLocation.pathname !== nextLocation.pathname,
  );
  // The browser asks with words of its own; nothing else is possible when a tab is closed.
  useBeforeUnload((event) => {
    if (isDirty.current) {
      event.preventDefault();
    }
  });

  /** Saves every form. Returns whether the page may be left. */
  const save = async (): Promise<boolean> => {
    setBusy(true);
    try {
      for (const form of forms.values()) {
        const outcome = await form.save();
        if (outcome === "refused") {
          notify(t("common.unsaved.refused"), { type: "error" });
        }
        if (outcome !== "saved") {
          return false;
        }
      }
      return true;
    } finally {
      setBusy(false);
    }
  };

  const saveAndLeave = async () => {
    if (await save()) {
      blocker.proceed?.();
    } else {
      blocker.reset?.();
    }
  };

  const saveButton = (run: () => Promise<unknown>) => (
    <Button variant="contained" loading={isBusy} onClick={() => void run()}>
      {t("common.save")}
    </Button>
  );

  return (
    <GuardContext.Provider value={guard}>
      {children}
      {[...forms.values()].some(({ hasBar }) => hasBar) && (
        <Paper
          role="region"
          aria-label={t("common.unsaved.title")}
          elevation={8}
          sx={{
            position: "sticky",
            bottom: 16,
            zIndex: "appBar",
            display: "flex",
            flexWrap: "wrap",
            alignItems: "center",
            gap: 1,
            width: "fit-content",
            maxWidth: "100%",
            mt: 2,
            mx: "auto",
            pl: 2,
            pr: 1,
            py: 1,
            borderRadius: 3,
            border: 1,
            borderColor: "divider",
          }}
        >
          <Typography variant="body2" role="status" sx={{ fontWeight: 600, mr: 1 }}>
            {t("common.unsaved.title")}
          </Typography>
          <Button onClick={() => [...forms.values()].forEach((form) => form.discard())}>
            {t("common.unsaved.discard")}
          </Button>
          {saveButton(save)}
        </Paper>
      )}
      {blocker.state === "blocked" && (
        <Modal
          title={t("common.unsaved.leave")}
          onClose={() => blocker.reset()}
          actions={
            <>
              <Button onClick={() => blocker.reset()}>{t("common.unsaved.stay")}</Button>
              <Button color="error" onClick={() => blocker.proceed()}>
                {t("common.unsaved.discard")}
              </Button>
              {saveButton(saveAndLeave)}
            </>
          }
        >
          <DialogContentText>{t("common.unsaved.leaveHint")}</DialogContentText>
        </Modal>
      )}
    </GuardContext.Provider>
  );
}
