import { useEffect, useRef } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { field } from "./PageFields";
import { slugOf } from "./slug";

/** Fills in the slug while the title is typed, until the person writes a slug of their own. */
export function SlugSuggestion() {
  const { setValue } = useFormContext();
  const [title, slug] = useWatch({ name: [field("title"), field("slug")] }) as unknown[];
  const suggested = useRef("");

  useEffect(() => {
    const next = slugOf(typeof title === "string" ? title : "");
    if ((slug ?? "") === suggested.current && next !== suggested.current) {
      suggested.current = next;
      setValue(field("slug"), next, { shouldDirty: true });
    }
  }, [title, slug, setValue]);

  return null;
}
