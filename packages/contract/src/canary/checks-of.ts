import { parseDuration } from "../duration.ts";
import {
  type CanarySpec,
  isSupportedCheckType,
  supportedCheckTypes,
  unsupportedCheckTypes,
} from "./canary-spec.ts";
import { heldReason } from "./held.ts";

/** One check of a document, with what it takes over from the document. */
export interface CanaryCheck {
  type: string;
  name: string;
  namespace: string;
  description?: string;
  icon?: string;
  severity?: string;
  /** The document's labels under the check's, and `<severity>: "true"`, `<owner>: "true"`. */
  labels: Record<string, string>;
  /** As it was written; `checkSpecs[type].parse` makes of it what `run` takes. */
  spec: Record<string, unknown>;
  supported: boolean;
  /** Why this check will not run yet. */
  held?: string;
  consecutiveFailures: number;
  consecutiveSuccesses: number;
  /** Undefined when neither the check nor the document says. */
  timeoutMs?: number;
}

/** What `checksOf` needs of a document: a parsed one, or the parts that a row holds. */
export interface CanaryParts {
  namespace: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  /** Validated. */
  spec: CanarySpec;
  /** As it was written. */
  source: Record<string, unknown>;
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const ones = (value: unknown) =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** The checks of a document as a flat list, in the order of types and then of the document. */
export function checksOf({
  namespace,
  labels,
  annotations,
  spec,
  source,
}: CanaryParts): CanaryCheck[] {
  const templated = annotations.template !== "false";
  const shared = { ...labels, ...spec.labels };
  const away = spec.agentSelector?.length
    ? 'The checks run on agents ("agentSelector"), not on this server.'
    : undefined;
  const checks: CanaryCheck[] = [];
  for (const type of [...supportedCheckTypes, ...unsupportedCheckTypes]) {
    const written = ones(source[type]) as Record<string, unknown>[];
    for (const [index, check] of (ones(spec[type]) as Record<string, unknown>[]).entries()) {
      const severity = text(check.severity)?.toLowerCase() ?? spec.severity;
      checks.push({
        type,
        name: text(check.name) ?? `${type}-${index}`,
        namespace: text(check.namespace) ?? namespace,
        description: text(check.description),
        icon: text(check.icon) ?? spec.icon,
        severity,
        labels: {
          ...shared,
          ...(check.labels as Record<string, string> | undefined),
          ...(severity && { [severity]: "true" }),
          ...(spec.owner && { [spec.owner]: "true" }),
        },
        spec: written[index] ?? check,
        supported: isSupportedCheckType(type),
        held: away ?? heldReason(type, check, templated),
        consecutiveFailures:
          (check.consecutiveFailures as number | undefined) ?? spec.consecutiveFailures ?? 1,
        consecutiveSuccesses:
          (check.consecutiveSuccesses as number | undefined) ?? spec.consecutiveSuccesses ?? 1,
        timeoutMs: timeoutOf(check.timeout) ?? timeoutOf(spec.timeout),
      });
    }
  }
  return checks;
}

/** Whole seconds where the family writes a number. */
function timeoutOf(value: unknown): number | undefined {
  if (typeof value === "number") return value > 0 ? value * 1000 : undefined;
  return typeof value === "string" ? parseDuration(value) : undefined;
}
