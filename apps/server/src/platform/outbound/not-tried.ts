/**
 * What was missing is on this side (a program, a permission, a way out), so nothing was learned about the target. Whoever
 * says it in other words keeps it as the cause.
 */
export class NotTried extends Error {}

const mostCauses = 10;

export function isNotTried(error: unknown): boolean {
  let one = error;
  for (let depth = 0; one instanceof Error && depth < mostCauses; depth += 1) {
    if (one instanceof NotTried) return true;
    // Of several attempts one that reached the target is enough.
    if (one instanceof AggregateError && one.errors.length > 0) return one.errors.every(isNotTried);
    if (isOwnCode((one as NodeJS.ErrnoException).code ?? "")) return true;
    one = one.cause;
  }
  return false;
}

/**
 * What the system says when it is this machine that cannot: no permission, no address, no way out, nothing left, nobody
 * to resolve a name. That a host is down or refuses (`EHOSTUNREACH`, `ECONNREFUSED`) is about the target.
 */
const ownCodes: ReadonlySet<string> = new Set([
  "EACCES",
  "EPERM",
  "EADDRNOTAVAIL",
  "ENETUNREACH",
  "ENETDOWN",
  "EAFNOSUPPORT",
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_SYSTEM",
  "EAI_MEMORY",
]);

export const isOwnCode = (code: string): boolean => ownCodes.has(code);
