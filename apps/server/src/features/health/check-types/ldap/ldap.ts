import { checkSpecs, type LdapSpec } from "@mainstay/contract";
import { encodeFilter, WrongFilter } from "#platform/outbound/ldap/filter.ts";
import { ldapClient, type LdapResult } from "#platform/outbound/ldap/ldap-client.ts";
import { placeName } from "#platform/outbound/network-errors.ts";
import { certificateEnds, secure } from "#platform/outbound/tls.ts";
import { certificateExpiry, judgeEnd } from "../expiry.ts";
import {
  attempt,
  type CheckInput,
  type CheckOutcome,
  checkType,
  failed,
  inMs,
  passed,
} from "../check-type.ts";
import { type LdapTarget, readLdapTarget } from "./target.ts";

/** One entry is enough to pass; more are only told. */
const mostEntries = 20;
const anyEntry = "(objectClass=*)";

const codes: Record<number, string> = {
  1: "an operations error",
  3: "the server's time limit is over",
  7: "this way to log in is not supported",
  8: "the server wants a stronger login",
  10: "it refers to another server",
  13: "the server wants TLS",
  32: "there is no such entry",
  34: "the name is not a DN",
  48: "this way to log in is not allowed",
  49: "wrong name or password",
  50: "not allowed",
  51: "the server is busy",
  52: "the server is not available",
  53: "the server does not want to",
};
const sizeLimitExceeded = 4;

const reason = ({ code, text }: LdapResult) =>
  [codes[code] ?? `LDAP result ${code}`, text].filter((part) => part !== "").join(": ");

async function converse(
  input: CheckInput<LdapSpec>,
  target: LdapTarget,
  filter: Buffer,
): Promise<CheckOutcome> {
  const { spec, connector, signal } = input;
  const { host, port } = target;
  const place = placeName(host, port);
  const started = performance.now();
  const plain = await connector.tcp({ host, port }, { signal });
  let socket = plain;
  try {
    if (target.tls) {
      const { ca, cert, key, insecureSkipVerify } = spec.tlsConfig ?? {};
      const tls = {
        insecureSkipVerify: spec.skipTLSVerify ?? insecureSkipVerify,
        ca: ca?.value,
        cert: cert?.value,
        key: key?.value,
      };
      socket = await secure(plain, { host, place, tls, signal });
    }
    const client = ldapClient(socket, { place, signal });
    const bound = await client.bind(target.username, target.password);
    const who = target.username === "" ? "a login without a name" : target.username;
    if (bound.code !== 0) return failed(`${place} refused ${who}: ${reason(bound)}`);
    const found = await client.search({ base: spec.bindDN, filter, most: mostEntries });
    const durationMs = performance.now() - started;
    const { names } = found;
    const isCut = found.code === sizeLimitExceeded;
    const details = { count: names.length, entries: names };
    const ends = target.tls ? certificateEnds(socket) : undefined;
    const about = { durationMs, details, ...certificateExpiry(ends) };
    const where = spec.bindDN === "" ? "the root" : spec.bindDN;
    if (found.code !== 0 && !isCut)
      return failed(`${place} could not search below ${where}: ${reason(found)}`, { durationMs });
    if (names.length === 0)
      return failed(`${place} has no entry below ${where} that matches`, about);
    if (spec.maxSSLExpiry && ends) {
      const { error } = judgeEnd("the certificate", ends, spec.maxSSLExpiry);
      if (error !== undefined) return failed(error, about);
    }
    const many = `${isCut ? "at least " : ""}${names.length} ${names.length === 1 ? "entry" : "entries"}`;
    return passed(`${many} in ${inMs(durationMs)}`, about);
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
    plain.destroy();
  }
}

export const ldap = checkType<LdapSpec>({
  type: "ldap",
  spec: checkSpecs.ldap,
  network: true,
  endpoint(spec) {
    const target = readLdapTarget(spec);
    return target ? placeName(target.host, target.port) : "";
  },
  async run(input) {
    const { spec } = input;
    const target = readLdapTarget(spec);
    if (!target)
      return failed(
        "the url is not the address of a directory such as ldap://host:389 or ldaps://host",
        { invalid: true },
      );
    // Many servers take a name with an empty password for nobody in particular and say that all is well.
    if (target.username !== "" && target.password === "")
      return failed(`a password for ${target.username} is missing`, { invalid: true });
    let filter: Buffer;
    try {
      filter = encodeFilter(spec.userSearch?.trim() || anyEntry);
    } catch (error) {
      if (error instanceof WrongFilter)
        return failed(`userSearch is not a filter: ${error.message}`, { invalid: true });
      throw error;
    }
    return attempt(input, () => converse(input, target, filter));
  },
});
