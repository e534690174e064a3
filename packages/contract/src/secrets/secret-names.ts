/** What a name tells about the value beside it, where no schema says it. */

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const telling =
  /passw|passphrase|pwd|secret|token|(api|access|account|private|shared|signing|encryption|master|service|storage)key|credential|authorization|cookie|bearer|signature|sessionid|connectionstring/;
const exactly = new Set([
  "pass",
  "auth",
  "key",
  "sig",
  "sas",
  "session",
  "pw",
  "psk",
  "pat",
  "dsnpassword",
]);
/** Names of secrets, ways to them and facts about them are none. */
const about =
  /(name|names|ref|refs|url|urls|uri|endpoint|path|file|type|expiry|ttl|enabled|timeout|(key|client|token)id)$/;

/** A key, header or parameter of this name holds a secret. */
export function namesSecret(name: string): boolean {
  const text = plain(name);
  return (exactly.has(text) || telling.test(text)) && !about.test(text);
}

/** What people see of credentials: who, not how. */
const readable = new Set(["name", "username", "user", "login", "type", "kind", "namespace"]);
export const isReadableBeside = (name: string): boolean => readable.has(plain(name));

const harmless = new Set([
  "accept",
  "acceptcharset",
  "acceptencoding",
  "acceptlanguage",
  "cachecontrol",
  "connection",
  "contentencoding",
  "contentlanguage",
  "contentlength",
  "contenttype",
  "date",
  "dnt",
  "expect",
  "host",
  "ifmodifiedsince",
  "ifnonematch",
  "origin",
  "pragma",
  "range",
  "referer",
  "te",
  "traceparent",
  "useragent",
  "xforwardedfor",
  "xforwardedhost",
  "xforwardedproto",
  "xrequestedwith",
  "xrequestid",
]);

/** Headers whose values anybody may see; all others may carry credentials. */
export const isHarmlessHeader = (name: string): boolean => harmless.has(plain(name));

const named =
  /(url|uri|endpoint|connection|host|hostname|server|proxy|addr|address|port|domain|dsn)$/;

/** A key of this name says where something is sent. */
export const namesAddress = (name: string): boolean => named.test(plain(name));

export const holdsPrivateKey = (text: string): boolean =>
  /-----BEGIN [A-Z ]*PRIVATE KEY/.test(text);
