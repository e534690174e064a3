import { Suspense } from "react";
import type { CodeLanguage } from "../code-view/highlight.ts";
import { lazyPart } from "../lazy-part.tsx";
import { LinesSkeleton } from "../lines/LinesSkeleton.tsx";

export type DiffViewProps = {
  label: string;
  language: CodeLanguage;
  /** What the two sides are called. */
  beforeLabel?: string;
  afterLabel?: string;
} & (
  | { before: string; after: string }
  /** A unified diff, where that is all that is known. */
  | { patch: string }
);

const Lines = lazyPart(() => import("./DiffLines.tsx").then((module) => module.DiffLines));

/** What became of a text: side by side or unified. Its machinery is fetched with the first. */
export function DiffView(props: DiffViewProps) {
  return (
    <Suspense fallback={<LinesSkeleton label={props.label} />}>
      <Lines {...props} />
    </Suspense>
  );
}
