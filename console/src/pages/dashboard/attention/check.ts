import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { dashboard } from "../texts";

export type Problem = keyof typeof dashboard.en.attention.problems;

/** Something that a person should look at. */
export interface Finding {
  problem: Problem;
  /** What it is about: the name of a server, a key, a person. */
  name?: string;
  /** When it happened or will happen. */
  at?: string | null;
  tone: "bad" | "warn" | "accent";
  /** Where it can be set right. */
  to: string;
}

/** One kind of problem to look for. Each is read on its own, so that one failure hides no other. */
export interface Check {
  /** What is checked, for the message if that fails. */
  subject: "servers" | "keys" | "webhooks" | "backups" | "operators";
  permission: string;
  queryKey: QueryKey;
  /** The client gives what another part of the page has read. */
  find: (client: QueryClient) => Promise<Finding[]>;
}
