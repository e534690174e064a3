import {
  type CanarySpec,
  checkCanary,
  canaryApiVersion,
  checksOf,
  type CanaryCheck,
} from "@mainstay/contract";
import type { KeyedIssue } from "#platform/http/refuse-places.ts";
import type { Sealed } from "#platform/sealing/sealed.ts";

/** A canary as a row holds it. */
export interface CanaryRow {
  id: string;
  name: string;
  namespace: string;
  labels: Record<string, string> | null;
  annotations: Record<string, string> | null;
  /** As it was written. */
  spec: Record<string, unknown>;
  /** The secrets of the spec, which holds the placeholder in their places. */
  sealed: Sealed;
  source: string | null;
  deleted_at: Date | null;
}

export type CanaryParts = Pick<CanaryRow, "name" | "namespace" | "labels" | "annotations" | "spec">;

export type { KeyedIssue };

export type CheckedDocument =
  | { issues: KeyedIssue[] }
  | { issues?: undefined; spec: CanarySpec; checks: CanaryCheck[] };

/** Levels of lists and mappings inside a document; deeper ones could overflow the stack of whatever reads them. */
const DEEPEST = 64;

/**
 * Judges what a row would hold; every problem is named by the columns of the row. `opened` is the spec with its secrets,
 * for those who are handed the checks with them.
 */
export function checkDocument(
  parts: CanaryParts,
  opened?: Record<string, unknown>,
): CheckedDocument {
  const tooDeep = findTooDeep(parts.spec);
  if (tooDeep) {
    return {
      issues: [
        {
          path: ["spec", ...tooDeep],
          message: `Lists and mappings are nested more than ${DEEPEST} levels deep.`,
        },
      ],
    };
  }
  const { name, namespace, labels, annotations, spec: source } = parts;
  const { value, findings } = checkCanary({
    apiVersion: canaryApiVersion,
    kind: "Canary",
    metadata: {
      name,
      namespace,
      labels: labels ?? undefined,
      annotations: annotations ?? undefined,
    },
    spec: source,
  });
  const issues = findings
    .filter((finding) => finding.severity === "error")
    .map(({ path, message }) => ({ path: path[0] === "metadata" ? path.slice(1) : path, message }));
  if (!value || issues.length > 0) return { issues };
  const checks = checksOf({
    namespace,
    labels: value.metadata.labels ?? {},
    annotations: value.metadata.annotations ?? {},
    spec: value.spec,
    source: opened ?? source,
  });
  const twice = findTwice(checks);
  return twice.length > 0 ? { issues: twice } : { spec: value.spec, checks };
}

/** A check is known by type and name inside its document, whatever namespace it is shown under. */
function findTwice(checks: readonly CanaryCheck[]): KeyedIssue[] {
  const seen = new Set<string>();
  return checks.flatMap(({ type, name }) => {
    const key = `${type}/${name}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [
      {
        path: ["spec", type],
        message: `Two ${type} checks of this document are called "${name}".`,
      },
    ];
  });
}

/** The path to the first value that lies too deep; walks without recursion. */
export function findTooDeep(root: unknown): (string | number)[] | undefined {
  interface Visit {
    value: unknown;
    depth: number;
    key: string | number;
    parent?: Visit;
  }
  const open: Visit[] = [{ value: root, depth: 1, key: "" }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > DEEPEST) {
      const path: (string | number)[] = [];
      for (let at: Visit | undefined = next; at?.parent; at = at.parent) path.unshift(at.key);
      return path;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === "object")
        open.push({
          value: inner,
          depth: depth + 1,
          key: Array.isArray(value) ? Number(key) : key,
          parent: next,
        });
    }
  }
  return undefined;
}
