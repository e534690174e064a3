import { Suspense } from "react";
import { lazyPart } from "../lazy-part.tsx";
import { LinesSkeleton } from "../lines/LinesSkeleton.tsx";

export interface JsonViewProps {
  label: string;
  value: unknown;
  /** How many levels are open at first. */
  openLevels?: number;
}

const Tree = lazyPart(() => import("./JsonTree.tsx").then((module) => module.JsonTree));

/** A JSON value as a tree: opens and closes, searches, copies values and paths. Its machinery is fetched with the first. */
export function JsonView(props: JsonViewProps) {
  return (
    <Suspense fallback={<LinesSkeleton label={props.label} />}>
      <Tree {...props} />
    </Suspense>
  );
}
