import type { RaRecord } from "react-admin";
import type { Schemas } from "../../../api/client";
import { useRoles } from "../../../components/useRoles";
import { useText } from "../../../i18n";

type Item = Schemas["ProductItem"];
type Fields = Required<Item["steps"][number]>;
export type StepKind = Fields["kind"];

/** A step has the fields of its kind. */
export type Step =
  | ({ kind: "role" } & Pick<Fields, "role_id" | "seconds">)
  | ({ kind: "rcon" } & Pick<Fields, "server_ids" | "command" | "undo_command" | "repeatable">)
  | ({ kind: "plugin" } & Pick<Fields, "server_ids" | "payload">);

export type Product = Omit<Item, "steps"> & { steps: Step[] } & RaRecord & { _etag?: string };

export const STEP_KINDS: readonly StepKind[] = ["role", "rcon", "plugin"];

/** What saving a step of a kind needs besides the right to change products. */
export const NEEDED: Partial<Record<StepKind, string>> = {
  role: "admin.users",
  rcon: "admin.servers.rcon",
};

export const SECONDS_A_DAY = 86_400;

/** A step to begin with. */
export function newStep(kind: StepKind): Step {
  switch (kind) {
    case "role":
      return { kind, role_id: null, seconds: 30 * SECONDS_A_DAY };
    case "rcon":
      return { kind, server_ids: [], command: "", undo_command: null, repeatable: false };
    case "plugin":
      return { kind, server_ids: [], payload: {} };
  }
}

/** How long a role is given for, in words. */
export function useTerm(): (seconds: number | null) => string {
  const t = useText();
  return (seconds) => {
    if (seconds === null) {
      return t("products.forEver");
    }
    if (seconds % SECONDS_A_DAY === 0) {
      return t("common.days", { smart_count: seconds / SECONDS_A_DAY });
    }
    return seconds % 3600 === 0
      ? t("products.hours", { smart_count: seconds / 3600 })
      : t("products.minutes", { smart_count: Math.round(seconds / 60) });
  };
}

/** The name of the role of a step. It is its number for those who may not read roles. */
export function useRoleName(): (id: number | null) => string {
  const t = useText();
  const roles = useRoles();
  return (id) =>
    id === null
      ? t("products.short.deletedRole")
      : (roles.find((role) => role.id === id)?.name ?? t("products.short.roleNumber", { id }));
}

/** What a product gives, in few words: `VIP (30 days), 2 commands`. */
export function useGives(): (steps: readonly Step[]) => string {
  const t = useText();
  const term = useTerm();
  const roleName = useRoleName();
  return (steps) => {
    const roles = steps.flatMap((step) =>
      step.kind === "role"
        ? [t("products.short.role", { role: roleName(step.role_id), term: term(step.seconds) })]
        : [],
    );
    const others = (["rcon", "plugin"] as const).flatMap((kind) => {
      const count = steps.filter((step) => step.kind === kind).length;
      return count === 0 ? [] : [t(`products.short.${kind}`, { smart_count: count })];
    });
    return [...roles, ...others].join(", ") || t("products.short.nothing");
  };
}
