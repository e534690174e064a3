const stored = /^(connection:\/\/|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)/i;
const localScheme = /^([a-z0-9.-]+\+)?(unix|file|npipe|ldapi|socket)(?=[:+])/i;
/** Host names or addresses with ports, several after commas; nothing that could be a path. */
const plainHosts = /^[\w.:,[\]-]*$/;
/** Parameters by which clients of databases are told another host. */
const hostParameters = ["host", "hostaddr", "socket", "socketpath", "unix_socket", "unixsocket"];

/** Readers of addresses drop these characters wherever they stand. */
const bare = (text: string) => text.replaceAll(/[\t\n\r]/g, "").trim();

/** Whether an address names a socket or a file of the machine by its scheme. Clients of HTTP know no other way. */
export const namesLocalScheme = (value: unknown): boolean =>
  typeof value === "string" && localScheme.test(bare(value));

/**
 * Whether the address of a database or directory may lead to a socket or a file of the machine rather than over the
 * network. What cannot be told for certain may: a template, or a placeholder outside the credentials.
 */
export function leavesNetwork(value: unknown): boolean {
  if (typeof value === "object" && value !== null && "value" in value)
    return leavesNetwork(value.value);
  if (typeof value !== "string") return false;
  const text = bare(value);
  if (text === "" || stored.test(text)) return false;
  if (localScheme.test(text) || /\{\{|%7b%7b/i.test(text)) return true;
  if (/^[a-z][\w+.-]*:\/\//i.test(text)) return urlLeaves(text);
  // user:password@tcp(host:port)/database, in which nothing is escaped.
  const [, protocol, inside] = /(?:^|@)(\w*)\(([^()]*)\)\/[^()]*$/.exec(text) ?? [];
  if (protocol !== undefined)
    return protocol.toLowerCase() !== "tcp" || !plainHosts.test(inside ?? "");
  if (/[a-z_]\s*=/i.test(text)) return pairsLeave(value);
  // Neither an address nor pairs: a host, perhaps with a port and a user.
  return !plainHosts.test(text.replace(/^[^@/\\]*@/, ""));
}

function urlLeaves(text: string): boolean {
  const [, authority = "", query = ""] =
    /^[^:]+:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/.exec(text) ?? [];
  if (!plainHosts.test(authority.slice(authority.lastIndexOf("@") + 1))) return true;
  // What a placeholder stands for is escaped, which keeps it inside the credentials or the path, but not out of here.
  if (query.includes("$(")) return true;
  return [...new URLSearchParams(query)].some(
    ([name, host]) => hostParameters.includes(name.toLowerCase()) && !plainHosts.test(host),
  );
}

/** `host=a port=5432 user='b c'`; quotes and placeholders could move what belongs to which key. */
function pairsLeave(text: string): boolean {
  if (/['"\\]|\$\(/.test(text)) return text.includes("/");
  return [...text.matchAll(/([a-z_]+)\s*=\s*(\S*)/gi)].some(
    ([, key, host]) => hostParameters.includes(key!.toLowerCase()) && !plainHosts.test(host!),
  );
}
