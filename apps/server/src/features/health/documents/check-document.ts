import {
  type CanaryCheck,
  type CanarySpec,
  checksOf,
  storedCanaryFormat,
} from "@mainstay/contract";
import type { PlainDocumentRow } from "#platform/documents/document-kind.ts";
import { judgeParts } from "#platform/documents/judge-parts.ts";
import type { KeyedIssue } from "#platform/http/refuse-places.ts";

/** A canary as a row holds it. */
export type CanaryRow = PlainDocumentRow;

export type CanaryParts = Pick<CanaryRow, "name" | "namespace" | "labels" | "annotations" | "spec">;

export type CheckedDocument =
  | { issues: KeyedIssue[] }
  | { issues?: undefined; spec: CanarySpec; checks: CanaryCheck[] };

/**
 * Judges what a row holds, whichever version saved it; every problem is named by the columns of the row. `opened` is
 * the spec with its secrets, for those who are handed the checks with them.
 */
export function checkDocument(
  parts: CanaryParts,
  opened?: Record<string, unknown>,
): CheckedDocument {
  const judged = judgeParts(storedCanaryFormat, parts);
  if (judged.issues) return judged;
  const { metadata, spec } = judged;
  const checks = checksOf({
    namespace: parts.namespace,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    spec,
    source: opened ?? parts.spec,
  });
  return { spec, checks };
}
