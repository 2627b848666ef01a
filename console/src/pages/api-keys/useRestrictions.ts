import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";

/** The restrictions and the use of a key, as a record that can be edited. */
export type Restrictions = Schemas["ApiKeyRestrictions"] & { id: number; [ETAG]?: string };

export async function readRestrictions(id: number): Promise<Restrictions> {
  const { data, response } = await api.GET("/api/api-keys/{id}/restrictions", {
    params: { path: { id } },
  });
  if (data === undefined) {
    throw new Error("the reply has no body");
  }
  // The part after the dot changes with every use of the key, which is no change of another person.
  const etag = response.headers.get("ETag")?.replace(/\.[^"]*"$/, '"');
  return { ...data.restrictions, id, ...(etag !== undefined && { [ETAG]: etag }) };
}

export function useRestrictions(id: number) {
  return useQuery({
    queryKey: ["api-keys", id, "restrictions"],
    queryFn: () => readRestrictions(id),
  });
}
