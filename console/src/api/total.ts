import { request } from "./client";

/** How many records a list has. Asks for one of them only, so it is cheap however many there are. */
export async function total(path: string, query: Record<string, string> = {}): Promise<number> {
  const reply = await request("GET", `${path}?${new URLSearchParams({ ...query, per_page: "1" })}`);
  return Number(reply.headers.get("X-Total-Count") ?? 0);
}
