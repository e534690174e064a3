import { returnToForbidden } from "./self-service-error.ts";

const MAX_LENGTH = 2048;
/** A path, or a complete address: `http:evil` and its like mean different things to different readers. */
const shape = /^(\/(?!\/)|https?:\/\/[^/\\])/i;
const control = /\p{Cc}/u;

/**
 * The address to go to after a flow, or undefined when none was given. Only paths of this server and addresses below
 * one of `origins` are allowed, and none that could be read as another host once somebody has decoded them. What comes
 * back is percent-encoded, fit for a header.
 */
export function readReturnTo(given: unknown, origins: readonly string[]): string | undefined {
  if (given === undefined || given === "") return undefined;
  if (typeof given !== "string" || given.length > MAX_LENGTH) throw returnToForbidden();
  if (!shape.test(given) || control.test(given) || hidesHost(given)) throw returnToForbidden();
  if (!URL.canParse(given, origins[0])) throw returnToForbidden();
  const url = new URL(given, origins[0]);
  if (
    !origins.includes(url.origin) ||
    url.username ||
    url.password ||
    url.pathname.startsWith("//")
  )
    throw returnToForbidden();
  return given.startsWith("/") ? url.pathname + url.search + url.hash : url.href;
}

/** Looks at everything before the query, decoded as often as a careless reader might. */
function hidesHost(given: string): boolean {
  let path = given.replace(/^https?:\/\/[^/?#\\]*/i, "").split(/[?#]/, 1)[0]!;
  for (let round = 0; round < 4; round += 1) {
    if (path.startsWith("//") || path.includes("\\") || control.test(path)) return true;
    if (!path.includes("%")) return false;
    try {
      path = decodeURIComponent(path);
    } catch {
      // An encoded percent sign decodes to one that means nothing more; one in what was given is no address.
      return round === 0;
    }
  }
  return true;
}
