import { api, body } from "../../../api/client";
import type { Check, Finding } from "./check";

async function find(): Promise<Finding[]> {
  const { operators } = await body(api.GET("/api/operators"));
  return operators
    .filter(({ active, two_factor }) => active && !two_factor)
    .map(({ user_id, username }) => ({
      problem: "noSecondFactor",
      name: username,
      tone: "warn",
      to: `/operators/${user_id}`,
    }));
}

/** Operators whose password alone lets them in. */
export const OPERATORS: Check = {
  subject: "operators",
  permission: "admin.api-keys.read",
  queryKey: ["operators", "attention"],
  find,
};
