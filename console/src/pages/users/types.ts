import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";

/** A user in the list. */
export type UserItem = Schemas["UserItem"];

/** One user, with the entity tag of the version that is shown. */
export type User = Schemas["UserDetail"] & { [ETAG]?: string };

export type Role = Schemas["UserRole"];
