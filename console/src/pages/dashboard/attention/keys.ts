import { api, body } from "../../../api/client";
import type { Check, Finding } from "./check";

const SOON_MS = 14 * 86_400_000;

async function find(): Promise<Finding[]> {
  const { api_keys } = await body(
    api.GET("/api/api-keys", { params: { query: { per_page: 100 } } }),
  );
  const active = api_keys.filter((key) => key.active);
  const found = await Promise.all(
    active.map(async ({ id, name }): Promise<Finding[]> => {
      const params = { path: { id } };
      const reply = await body(api.GET("/api/api-keys/{id}/restrictions", { params }));
      const at = reply.restrictions.expires_at;
      const left = at === null ? Infinity : Date.parse(at) - Date.now();
      if (left > SOON_MS) {
        return [];
      }
      const isOver = left <= 0;
      return [
        {
          problem: isOver ? "keyExpired" : "keyExpires",
          name,
          at,
          tone: isOver ? "bad" : "warn",
          to: `/api-keys/${id}`,
        },
      ];
    }),
  );
  return found.flat();
}

/** Keys that expire within two weeks, or have. */
export const KEYS: Check = {
  subject: "keys",
  permission: "admin.api-keys.read",
  queryKey: ["api-keys", "attention"],
  find,
};
