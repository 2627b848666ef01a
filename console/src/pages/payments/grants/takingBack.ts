import type { Product as WholeProduct, Step } from "../products/product";
import { type Grant, type GrantStep, isOpen } from "./grant";

type Product = Pick<WholeProduct, "steps" | "choose_server" | "updated_at">;

/** A line of what will be taken back, or stays. */
export type Line =
  | { kind: "role" | "roleForEver"; roleId: number | null }
  | { kind: "anyRole" | "usedTime" }
  | { kind: "cancel" | "undo" | "anyUndo" | "plugin" | "kept"; count: number };

/** What becomes of a grant that is revoked. */
export interface TakingBack {
  back: Line[];
  stays: Line[];
}

/**
 * What revoking a grant takes back. A grant does not say which role it gave and which commands can
 * be undone, but its product does, unless it has been changed since.
 */
export function takingBack(grant: Grant, product: Product | null): TakingBack {
  const sources = product === null ? null : sourcesOf(grant, product);
  const carriedOut = grant.steps.map((step, index) => ({ step, source: sources?.[index] ?? null }));
  const done = carriedOut.filter(({ step }) => step.state === "done" || step.state === "uncertain");
  const roles = done.filter(({ step }) => step.kind === "role").map(({ source }) => source);
  const commands = done.filter(({ step }) => step.kind === "rcon").map(({ source }) => source);
  const has = (wanted: boolean) =>
    commands.filter((source) => source?.kind === "rcon" && hasUndo(source) === wanted).length;
  const counted = (kind: "cancel" | "undo" | "anyUndo" | "plugin" | "kept", count: number) =>
    count === 0 ? [] : [{ kind, count }];
  return {
    back: [
      ...roles.map(roleLine),
      ...counted("undo", has(true)),
      ...counted("anyUndo", commands.filter((source) => source === null).length),
      ...counted("plugin", done.filter(({ step }) => step.kind === "plugin").length),
      ...counted("cancel", grant.steps.filter(isOpen).length),
    ],
    stays: [
      ...(roles.length > 0 ? [{ kind: "usedTime" as const }] : []),
      ...counted("kept", has(false)),
    ],
  };
}

function hasUndo(step: Step & { kind: "rcon" }): boolean {
  return step.undo_command !== null;
}

function roleLine(source: Step | null): Line {
  if (source?.kind !== "role") {
    return { kind: "anyRole" };
  }
  return { kind: source.seconds === null ? "roleForEver" : "role", roleId: source.role_id };
}

/** The step of the product that each step of a grant came from; null if that is not known. */
function sourcesOf(grant: Grant, product: Product): Step[] | null {
  if (product.updated_at > grant.created_at) {
    return null;
  }
  const made = product.steps.flatMap((source) =>
    serversOf(source, product.choose_server ? grant.server_id : null).map((server) => ({
      source,
      server,
    })),
  );
  const isSame = (step: GrantStep, index: number) =>
    made[index]?.source.kind === step.kind && made[index].server === step.server_id;
  return made.length === grant.steps.length && grant.steps.every(isSame)
    ? made.map(({ source }) => source)
    : null;
}

/** The servers that a step runs on; null stands for none. */
function serversOf(step: Step, chosen: number | null): (number | null)[] {
  if (step.kind === "role" || step.server_ids.length === 0) {
    return [null];
  }
  return step.server_ids.filter((id) => chosen === null || id === chosen);
}
