import type { Schemas } from "../../api/client";
import type { ETAG } from "../../api/dataProvider";

/** A network, with the entity tag of the version that is shown. */
export type SocialNetwork = Schemas["SocialNetwork"] & { [ETAG]?: string };
