import type { PauseMarks } from "@mainstay/contract";
import sql, { type Sql } from "sql-template-tag";
import type { CanaryRow } from "./check-document.ts";

/**
 * A canary is paused by the annotation that the console writes, by the one that the family knows for it, or by
 * `replicas: 0`: its checks stay, with what they said last, and do not run by the clock.
 */
export const pausedAnnotation = "paused";
const annotations = [pausedAnnotation, "suspend"] as const;

export const isPaused = ({ annotations: said, spec }: Pick<CanaryRow, "annotations" | "spec">) =>
  spec.replicas === 0 || annotations.some((name) => said?.[name] === "true");

/** The same of a row of `canaries` in SQL. */
export const isPausedRow = (canary: Sql): Sql => sql`
  (coalesce(${canary}.spec ->> 'replicas' = '0', false)
   or coalesce(${canary}.annotations ->> 'paused' = 'true', false)
   or coalesce(${canary}.annotations ->> 'suspend' = 'true', false))`;

type Parts = Pick<CanaryRow, "annotations" | "spec">;

/** All of a document by which it is or could be paused. */
export function pauseMarks({ annotations: said, spec }: Parts): PauseMarks {
  const { replicas } = spec;
  return {
    paused: said?.paused ?? null,
    suspend: said?.suspend ?? null,
    replicas: typeof replicas === "number" ? replicas : null,
  };
}

/** The parts of a document with other marks. */
export function withMarks<Of extends Parts>(
  { spec, annotations: said, ...parts }: Of,
  { replicas, ...marks }: PauseMarks,
) {
  const others = Object.entries(said ?? {}).filter(([name]) => !Object.hasOwn(marks, name));
  const own = annotations.flatMap((name): [string, string][] => {
    const value = marks[name];
    return value === null ? [] : [[name, value]];
  });
  const { replicas: before, ...rest } = spec;
  const now = replicas ?? (typeof before === "number" ? undefined : before);
  return {
    ...parts,
    annotations: Object.fromEntries([...others, ...own]),
    spec: now === undefined ? rest : { ...rest, replicas: now },
  };
}

export const running = (marks: PauseMarks): PauseMarks => ({
  paused: null,
  suspend: null,
  replicas: marks.replicas === 0 ? null : marks.replicas,
});
