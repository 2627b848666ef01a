import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";

/** An operator as a record of a list: its id is that of the user. */
export type Operator = Schemas["Operator"] & { id: number; [ETAG]?: string };
