import type { RaRecord } from "react-admin";
import type { Schemas } from "../../api/client";

export type Live = Schemas["ServerLiveStatus"];
export type ServerRow = Schemas["ServerItem"] & RaRecord<number>;
export type Server = Schemas["ServerDetail"] & RaRecord<number>;

/** How the API shows a password that it never shows. */
export const MASK = "********";
