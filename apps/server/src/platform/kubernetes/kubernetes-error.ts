import { z } from "zod";

/** Of what a server says of a refusal, in characters. */
const longestSaid = 600;

const statusShape = z.looseObject({
  kind: z.literal("Status"),
  message: z.string().optional(),
  reason: z.string().optional(),
  metadata: z.looseObject({ continue: z.string().optional() }).optional().catch(undefined),
});

/** The API server refused: what was asked, and why, in a sentence. */
export class KubernetesError extends Error {
  override readonly name = "KubernetesError";
  readonly code: number;
  /** Its own word for it: `NotFound`, `AlreadyExists`, `Expired`, `Forbidden`. */
  readonly reason: string;
  /** Of a list whose beginning it has forgotten: where the rest begins, as it is now. */
  readonly next: string | undefined;

  constructor(
    message: string,
    { code, reason, next }: { code: number; reason: string; next?: string | undefined },
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.next = next;
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
};

const hints: Readonly<Record<number, string>> = {
  401: "it does not accept the credentials: the token may have expired",
  403: "a role with this right is missing",
  429: "it is asked too often",
};

/** It fails where the body is none: a proxy in between, or no cluster at all. */
function readStatus(body: Buffer) {
  try {
    return statusShape.safeParse(JSON.parse(body.toString("utf8")));
  } catch {
    return statusShape.safeParse(undefined);
  }
}

/** Whether an API server itself has refused, and not a service behind it. */
export const isRefusal = ({ code, body }: { code: number; body: Buffer }): boolean =>
  code > 399 && readStatus(body).success;

/** `task` completes "cannot …": `list Pod in the namespace "web"`. */
export function refusal(
  { code, body }: { code: number; body: Buffer },
  { place, task }: { place: string; task: string },
): KubernetesError {
  const status = readStatus(body);
  const said = status.success ? (status.data.message ?? "").trim().slice(0, longestSaid) : "";
  const reason = (status.success ? status.data.reason : undefined) || (reasons[code] ?? "");
  const why = said && !/^unauthorized$/i.test(said) ? `: ${said}` : "";
  const hint = hints[code] ? ` (${hints[code]})` : "";
  return new KubernetesError(`cannot ${task}: the cluster ${place} answered ${code}${hint}${why}`, {
    code,
    reason,
    next: (status.success && status.data.metadata?.continue) || undefined,
  });
}

export const isMissing = (error: unknown): boolean =>
  error instanceof KubernetesError && error.code === 404;
