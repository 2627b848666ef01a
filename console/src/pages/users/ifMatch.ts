import { ETAG } from "../../api/dataProvider";

/** The header that lets a write pass only if what is shown has not changed. */
export function ifMatch(shown: { [ETAG]?: string | undefined }): { "If-Match"?: string } {
  const tag = shown[ETAG];
  return tag === undefined ? {} : { "If-Match": tag };
}
