import Skeleton from "@mui/material/Skeleton";
import { lazy, Suspense } from "react";
import type { CodeMirrorProps } from "./CodeMirror";

const CodeMirror = lazy(() => import("./CodeMirror"));

/** An editor for source text. It is large, so it is loaded when it is first shown. */
export function CodeEditor(props: CodeMirrorProps) {
  return (
    <Suspense fallback={<Skeleton variant="rounded" height={props.height} />}>
      <CodeMirror {...props} />
    </Suspense>
  );
}
