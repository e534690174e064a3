import { Suspense } from "react";
import { lazyPart } from "../lazy-part.tsx";
import type { LineRange } from "../lines/line-range.ts";
import { LinesSkeleton } from "../lines/LinesSkeleton.tsx";

export interface LogViewProps {
  label: string;
  /** Appended to, or replaced by another text; a changed list is a new one. */
  lines: readonly string[];
  /** More lines may still come: offers to follow them. */
  isLive?: boolean;
  /** The chosen lines, for an address; kept by the view itself when left out. */
  selection?: LineRange | null;
  onSelect?: (selection: LineRange | null) => void;
  /** The address of a choice of lines, to be copied. */
  linkTo?: (selection: LineRange) => string;
  /** The name of the file it can be saved as. */
  fileName?: string;
}

const Lines = lazyPart(() => import("./LogLines.tsx").then((module) => module.LogLines));

/** Terminal output of any length: colours, search, links to lines, following. Its machinery is fetched with the first. */
export function LogView(props: LogViewProps) {
  return (
    <Suspense fallback={<LinesSkeleton label={props.label} />}>
      <Lines {...props} />
    </Suspense>
  );
}
