import { api, type Schemas } from "../../api/client";
import { ETAG } from "../../api/dataProvider";
import { ApiError } from "../../api/error";

/** The connection to a server at Discord, with its entity tag. */
export type Connection = Schemas["DiscordConnection"] & { [ETAG]?: string };

export function withTag<T extends object>(value: T, response: Response): T & { [ETAG]?: string } {
  const etag = response.headers.get("ETag");
  return { ...value, ...(etag !== null && { [ETAG]: etag }) };
}

export async function readConnection(): Promise<Connection | null> {
  try {
    const { data, response } = await api.GET("/api/discord");
    return data === undefined ? null : withTag(data.discord, response);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return null;
    }
    throw error;
  }
}
