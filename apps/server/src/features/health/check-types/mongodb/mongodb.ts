import { checkSpecs, type MongodbSpec, splitHostPort } from "@mainstay/contract";
import { mongoClient, MongoRefusal } from "#platform/outbound/mongodb/mongodb-client.ts";
import { placeName } from "#platform/outbound/network-errors.ts";
import { isNotTried } from "#platform/outbound/not-tried.ts";
import { certificateEnds, endingAt, secure } from "#platform/outbound/tls.ts";
import {
  attempt,
  type CheckInput,
  type CheckOutcome,
  checkType,
  failed,
  inMs,
  passed,
  untried,
} from "../check-type.ts";
import { certificateExpiry, type Expiry, expiryInError } from "../expiry.ts";
import { findHosts } from "./find-hosts.ts";
import { type HostPort, type MongodbTarget, readMongodbTarget, WrongAddress } from "./target.ts";

/** Where several hosts may be asked, one that is silent is given up after this. */
const hostMs = 5000;
/** Hosts that are asked before a set counts as one without a primary. */
const mostAsked = 20;

type Answer =
  | { kind: "pinged"; setName?: string; expires?: Expiry }
  /** It belongs to a set and is not the primary; it may know who is. */
  | { kind: "secondary"; primary?: HostPort };

/** Asks one host who it is, and pings it when it is the one. */
async function ask(
  input: CheckInput<MongodbSpec>,
  target: MongodbTarget,
  { host, port }: HostPort,
): Promise<Answer> {
  const { spec, connector } = input;
  const isAlone = target.hosts.length === 1 && target.isDirect;
  const signal = isAlone
    ? input.signal
    : AbortSignal.any([input.signal, AbortSignal.timeout(hostMs)]);
  const place = placeName(host, port);
  const plain = await connector.tcp({ host, port }, { signal });
  let socket = plain;
  let ends: Date | undefined;
  try {
    if (target.tls) {
      const { ca, cert, key } = spec.tlsConfig ?? {};
      const { insecureSkipVerify } = target;
      const tls = { insecureSkipVerify, ca: ca?.value, cert: cert?.value, key: key?.value };
      socket = await secure(plain, { host, place, tls, signal });
      ends = certificateEnds(socket);
    }
    const client = await mongoClient(socket, { place, signal });
    const hello = await client.hello(target.login);
    if (target.replicaSet !== undefined && hello.setName !== target.replicaSet)
      throw new Error(
        `${place} belongs to ${hello.setName ? `the replica set ${hello.setName}` : "no replica set"}, ${target.replicaSet} is wanted`,
      );
    if (!hello.isPrimary && !target.isDirect) {
      const primary = hello.primary === undefined ? undefined : splitHostPort(hello.primary);
      return { kind: "secondary", ...(primary && { primary }) };
    }
    if (target.login) {
      const { username } = target.login;
      await client.logIn(target.login, hello.mechanisms).catch((error: unknown) => {
        if (!(error instanceof MongoRefusal)) throw error;
        throw new Error(`${place} refused the login of ${username}: ${error.message}`, {
          cause: error,
        });
      });
    }
    await client.ping();
    return {
      kind: "pinged",
      ...(hello.setName !== undefined && { setName: hello.setName }),
      ...certificateExpiry(ends),
    };
  } catch (error) {
    if (error instanceof MongoRefusal)
      throw endingAt(new Error(`${place} refused: ${error.message}`, { cause: error }), ends);
    if (signal.aborted && !input.signal.aborted)
      throw new Error(`no answer from ${place} within ${hostMs} ms`, { cause: error });
    throw error instanceof Error ? endingAt(error, ends) : error;
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
    plain.destroy();
  }
}

/** Asks the hosts that are named, and the primary that one of them names, until one is it. */
async function findPrimary(
  input: CheckInput<MongodbSpec>,
  target: MongodbTarget,
): Promise<CheckOutcome> {
  const started = performance.now();
  const open = [...target.hosts];
  const asked = new Set<string>();
  const problems: string[] = [];
  let hasTried = false;
  let seen: { expires?: Expiry } = {};
  for (let next = open.shift(); next && asked.size < mostAsked; next = open.shift()) {
    const place = placeName(next.host, next.port);
    if (asked.has(place)) continue;
    asked.add(place);
    try {
      const answer = await ask(input, target, next);
      if (answer.kind === "secondary") {
        problems.push(`${place} is not the primary`);
        hasTried = true;
        if (answer.primary) open.unshift(answer.primary);
        continue;
      }
      const durationMs = performance.now() - started;
      const details = { host: place, ...(answer.setName !== undefined && { set: answer.setName }) };
      const { expires } = answer;
      return passed(`${place} answered in ${inMs(durationMs)}`, {
        durationMs,
        details,
        ...(expires && { expires }),
      });
    } catch (error) {
      if (input.signal.aborted) throw error;
      problems.push(error instanceof Error ? error.message : String(error));
      seen = { ...seen, ...expiryInError(error) };
      hasTried ||= !isNotTried(error);
    }
  }
  const [only] = problems;
  const error =
    problems.length === 1 && !only?.endsWith("is not the primary")
      ? (only as string)
      : `no primary was found: ${problems.join("; ")}`;
  const durationMs = performance.now() - started;
  const outcome = { durationMs, ...seen };
  return hasTried ? failed(error, outcome) : untried(error, outcome);
}

export const mongodb = checkType<MongodbSpec>({
  type: "mongodb",
  spec: checkSpecs.mongodb,
  network: true,
  endpoint(spec) {
    try {
      const { hosts, isSrv } = readMongodbTarget(spec);
      return hosts.map(({ host, port }) => (isSrv ? host : placeName(host, port))).join(",");
    } catch {
      return "";
    }
  },
  async run(input) {
    let target: MongodbTarget;
    try {
      target = readMongodbTarget(input.spec);
    } catch (error) {
      if (error instanceof WrongAddress) return failed(error.message, { invalid: true });
      throw error;
    }
    return attempt(input, async () => findPrimary(input, await findHosts(input, target)));
  },
});
