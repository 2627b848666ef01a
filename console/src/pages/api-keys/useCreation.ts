import { useState } from "react";
import { useRefresh } from "react-admin";
import { api, body } from "../../api/client";
import type { Permission } from "../../components/permissions/areas";
import { restrictionChanges } from "./restrictionChanges";

type StepName = "restrictions" | "permissions";

/** A write that follows the creation of a key. */
export interface Step {
  name: StepName;
  state: "waiting" | "running" | "done" | "failed";
  error: unknown;
  run: () => Promise<unknown>;
}

/** A key that exists, and what is still to be saved for it. */
export interface Creation {
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
