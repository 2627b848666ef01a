import CheckCircleOutlined from "@mui/icons-material/CheckCircleOutlined";
import ErrorOutlineOutlined from "@mui/icons-material/ErrorOutlineOutlined";
import ScheduleOutlined from "@mui/icons-material/ScheduleOutlined";
import { Alert, Box, CircularProgress, Stack, Typography } from "@mui/material";
import { useState } from "react";
import { useRefresh } from "react-admin";
import { api, body } from "../../api/client";
import { CopyField } from "../../components/CopyField";
import { RouteButton } from "../../components/links";
import { LoadError } from "../../components/Loaded";
import { Page, Panel } from "../../components/Page";
import type { Permission } from "../../components/permissions/permissions";
import { Muted } from "../../components/text";
import { useText } from "../../i18n";
import { restrictionChanges } from "./Restrictions";

interface Props {
  creation: Creation;
  onRepeat: () => void;
}

/** The value of a new key, and what was saved for it. */
export function CreatedKey({ creation, onRepeat }: Props) {
  const t = useText();
  const { id, name, value, steps } = creation;
  const hasFailed = steps.some(({ state }) => state === "failed");
  return (
    <Page
      title={t(hasFailed ? "apiKeys.create.partly" : "apiKeys.create.done", { name })}
      back="api-keys"
      narrow
    >
      <Stack sx={{ gap: 2.5 }}>
        <Panel title={t("apiKeys.value")}>
          <Stack sx={{ gap: 2 }}>
            <Alert severity="warning">{t("common.shownOnce")}</Alert>
            <CopyField label={t("apiKeys.value")} value={value} />
          </Stack>
        </Panel>
        <Panel title={t("apiKeys.create.steps")}>
          <Stack sx={{ gap: 1.5 }} role="status">
            <Line state="done" text={t("apiKeys.create.made")} />
            {steps.map((step) => (
              <StepLine key={step.name} step={step} onRepeat={onRepeat} />
            ))}
            {hasFailed && <Muted>{t("apiKeys.create.partlyHint")}</Muted>}
          </Stack>
        </Panel>
        <Box>
          <RouteButton to={`/api-keys/${id}`} variant="contained">
            {t("apiKeys.create.open")}
          </RouteButton>
        </Box>
      </Stack>
    </Page>
  );
}

function StepLine({ step, onRepeat }: { step: Step; onRepeat: () => void }) {
  const t = useText();
  const { name, state, error } = step;
  const text = t(`apiKeys.create.states.${state}`, { step: t(`apiKeys.create.${name}`) });
  return (
    <Stack sx={{ gap: 1 }}>
      <Line state={state} text={text} />
      {state === "failed" && <LoadError error={error} retry={onRepeat} />}
    </Stack>
  );
}

function Line({ state, text }: { state: Step["state"]; text: string }) {
  const icon = {
    waiting: <ScheduleOutlined color="disabled" fontSize="small" />,
    running: <CircularProgress size={18} />,
    done: <CheckCircleOutlined color="success" fontSize="small" />,
    failed: <ErrorOutlineOutlined color="error" fontSize="small" />,
  }[state];
  return (
    <Box sx={{ display: "flex", alignItems: "center", gap: 1 }}>
      {icon}
      <Typography variant="body2">{text}</Typography>
    </Box>
  );
}

type StepName = "restrictions" | "permissions";

/** A write that follows the creation of a key. */
interface Step {
  name: StepName;
  state: "waiting" | "running" | "done" | "failed";
  error: unknown;
  run: () => Promise<unknown>;
}

/** A key that exists, and what is still to be saved for it. */
interface Creation {
  id: number;
  name: string;
  value: string;
  steps: Step[];
}

/**
 * Creates a key in several writes. The restrictions come before the permissions, which wait for
 * them: at no time can a key do more than was intended.
 */
export function useCreation() {
  const refresh = useRefresh();
  const [creation, setCreation] = useState<Creation | null>(null);

  const set = (name: StepName, state: Step["state"], error: unknown = null) =>
    setCreation(
      (current) =>
        current && {
          ...current,
          steps: current.steps.map((step) =>
            step.name === name ? { ...step, state, error } : step,
          ),
        },
    );

  const carryOut = async (steps: Step[]) => {
    for (const { name, run } of steps) {
      set(name, "running");
      try {
        await run();
        set(name, "done");
      } catch (error) {
        set(name, "failed", error);
        return;
      }
    }
    refresh();
  };

  const create = async (values: Record<string, unknown>) => {
    const { name = "", permissions = [] } = values as { name?: string; permissions?: Permission[] };
    const { api_key } = await body(api.POST("/api/api-keys", { body: { name } }));
    const steps = stepsOf(api_key.id, values, permissions);
    setCreation({ id: api_key.id, name: api_key.name, value: api_key.key, steps });
    void carryOut(steps);
  };

  /** Repeats the step that failed, and goes on from there. */
  const resume = () => carryOut((creation?.steps ?? []).filter(({ state }) => state !== "done"));

  return { creation, create, resume };
}

function stepsOf(id: number, values: Record<string, unknown>, permissions: Permission[]): Step[] {
  const params = { path: { id } };
  const restrictions = restrictionChanges(values);
  const permission_ids = permissions.map((permission) => permission.id);
  const waiting = { state: "waiting", error: null } as const;
  const steps: Step[] = [];
  if (Object.values(restrictions).some((restriction) => restriction !== null)) {
    const run = () => api.PUT("/api/api-keys/{id}/restrictions", { params, body: restrictions });
    steps.push({ ...waiting, name: "restrictions", run });
  }
  if (permission_ids.length > 0) {
    const run = () =>
      api.PUT("/api/api-keys/{id}/permissions", { params, body: { permission_ids } });
    steps.push({ ...waiting, name: "permissions", run });
  }
  return steps;
}
