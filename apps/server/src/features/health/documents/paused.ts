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

/** The parts of a document that is not paused any more, whichever way it was. */
export function resumed<Parts extends Pick<CanaryRow, "annotations" | "spec">>(
  parts: Parts,
): Parts {
  const { replicas, ...spec } = parts.spec;
  const kept = Object.entries(parts.annotations ?? {}).filter(
    ([name]) => !annotations.some((pausing) => pausing === name),
  );
  return {
    ...parts,
    annotations: Object.fromEntries(kept),
    spec: replicas === 0 || replicas === undefined ? spec : { ...spec, replicas },
  };
}
