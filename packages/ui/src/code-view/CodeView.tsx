import { Suspense } from "react";
import { lazyPart } from "../lazy-part.tsx";
import type { LineRange } from "../lines/line-range.ts";
import { LinesSkeleton } from "../lines/LinesSkeleton.tsx";
import type { CodeLanguage } from "./highlight.ts";

export interface CodeViewProps {
  label: string;
  text: string;
  language: CodeLanguage;
  /** The chosen lines, for an address; kept by the view itself when left out. */
  selection?: LineRange | null;
  onSelect?: (selection: LineRange | null) => void;
  /** The address of a choice of lines, to be copied. */
  linkTo?: (selection: LineRange) => string;
}

const Lines = lazyPart(() => import("./CodeLines.tsx").then((module) => module.CodeLines));

/** Code to be read: colours, line numbers, choice of lines, search, copy, wrap. Its machinery is fetched with the first. */
export function CodeView(props: CodeViewProps) {
  return (
    <Suspense fallback={<LinesSkeleton label={props.label} />}>
      <Lines {...props} />
    </Suspense>
  );
}
