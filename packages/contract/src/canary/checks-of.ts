import { listUnder } from "../documents/list-under.ts";
import { parseDuration } from "../duration.ts";
import { type CanarySpec, checkKeys, isSupportedCheckType } from "./canary-spec.ts";
import { typeUnder } from "./check-lists.ts";
import { nameChecks } from "./check-names.ts";
import type { Retries } from "./fields.ts";
import { withTodaysKeys } from "./former-keys.ts";
import { heldReason } from "./held.ts";
import { hasOwnTimeout, ownTimeMs } from "./own-time.ts";

/** One check of a document, with what it takes over from the document. */
export interface CanaryCheck {
  type: string;
  /** Unique among the checks of its type in the document; made up where none is written (`check-names.ts`). */
  name: string;
  /** Of a name that was made up: what the check was called by earlier versions. */
  formerName?: string;
  /** The name that is written is another check's already. */
  isTold?: true;
  /** Where it stands: its list and its place there; no place where no list is written. */
  path: readonly (string | number)[];
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
  /** Names of checks of the document that are run before. */
  dependsOn: readonly string[];
  retries?: Retries;
  /** Variables of the document for templates, as they were written. */
  env?: Record<string, unknown>;
  /** Whether its texts are templates. */
  isTemplated: boolean;
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
type Written = Record<string, unknown>;

/** The checks of a document as a flat list, in the order of types and then of the document. */
export function checksOf({
  namespace,
  labels,
  annotations,
  spec,
  source,
}: CanaryParts): CanaryCheck[] {
  const isTemplated = annotations.template !== "false";
  const env = source.env as Record<string, unknown> | undefined;
  const shared = { ...labels, ...spec.labels };
  const away = spec.agentSelector?.length
    ? 'The checks run on agents ("agentSelector"), not on this server.'
    : undefined;
  const found = checkKeys.flatMap((key) => {
    const written = listUnder(source[key]) as Written[];
    return (listUnder(spec[key]) as Written[]).map((check, index) => ({
      type: typeUnder(key),
      index,
      path: Array.isArray(source[key]) ? [key, index] : [key],
      namespace: text(check.namespace) ?? namespace,
      check,
      spec: withTodaysKeys(typeUnder(key), written[index] ?? check),
    }));
  });
  const names = nameChecks(found);
  return found.map(({ type, path, check, spec: written, namespace: own }, place) => {
    const severity = text(check.severity)?.toLowerCase() ?? spec.severity;
    return {
      type,
      ...names[place]!,
      path,
      namespace: own,
      description: text(check.description),
      icon: text(check.icon) ?? spec.icon,
      severity,
      labels: {
        ...shared,
        ...(check.labels as Record<string, string> | undefined),
        ...(severity && { [severity]: "true" }),
        ...(spec.owner && { [spec.owner]: "true" }),
      },
      spec: written,
      supported: isSupportedCheckType(type),
      held: away ?? heldReason(type, check),
      consecutiveFailures:
        (check.consecutiveFailures as number | undefined) ?? spec.consecutiveFailures ?? 1,
      consecutiveSuccesses:
        (check.consecutiveSuccesses as number | undefined) ?? spec.consecutiveSuccesses ?? 1,
      dependsOn: (check.dependsOn as string[] | undefined) ?? [],
      retries: (check.retries as Retries | undefined) ?? spec.retries,
      env,
      isTemplated,
      timeoutMs: writtenTimeoutMs(type, check, spec),
    };
  });
}

/** How long a check of a document may take, where either says so. */
export const writtenTimeoutMs = (
  type: string,
  check: Written,
  spec: { timeout?: unknown },
): number | undefined =>
  (hasOwnTimeout(type) ? undefined : timeoutOf(check.timeout)) ??
  ownTimeMs(type, check) ??
  timeoutOf(spec.timeout);

/** Whole seconds where the family writes a number. */
function timeoutOf(value: unknown): number | undefined {
  if (typeof value === "number") return value > 0 ? value * 1000 : undefined;
  return typeof value === "string" ? parseDuration(value) : undefined;
}
