import { lazy, Suspense } from "react";
import { LinesSkeleton } from "../lines/LinesSkeleton.tsx";

export interface JsonViewProps {
  label: string;
  value: unknown;
  /** How many levels are open at first. */
  openLevels?: number;
}

const Tree = lazy(() => import("./JsonTree.tsx").then((module) => ({ default: module.JsonTree })));

/** A JSON value as a tree: opens and closes, searches, copies values and paths. Its machinery is fetched with the first. */
export function JsonView(props: JsonViewProps) {
  return (
    <Suspense fallback={<LinesSkeleton label={props.label} />}>
      <Tree {...props} />
    </Suspense>
  );
}
