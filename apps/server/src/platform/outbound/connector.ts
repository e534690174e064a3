import type { Socket as DatagramSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import {
  connect as connectSocket,
  isIP,
  type LookupFunction,
  type NetConnectOpts,
  type Socket,
} from "node:net";
import ipaddr from "ipaddr.js";
import type { FindCluster } from "../kubernetes/cluster.ts";
import {
  type AddressPolicy,
  deniedByDefault,
  isIn,
  meanings,
  parseNetwork,
} from "./address-policy.ts";
import { openDatagrams } from "./datagrams.ts";
import { describeNetworkError, placeName } from "./network-errors.ts";
import { NotTried } from "./not-tried.ts";
import type { OwnDatabase } from "./own-database.ts";
import { createPrograms, type Programs } from "./programs.ts";
import { judgeSocket, type SocketPolicy } from "./socket-policy.ts";

export { type AddressPolicy, deniedByDefault, parseNetwork } from "./address-policy.ts";

export interface ConnectOptions {
  signal: AbortSignal;
  /** Named by the settings of this server or of its machine, not by a document: not judged. */
  isOwn?: boolean;
  /** Called when the addresses are known, before the first is tried. */
  onFound?: (() => void) | undefined;
}

/**
 * The only way out for what documents ask for: sockets under the address policy, judged when the address is known, just
 * before connecting; socket files of named directories; programs.
 */
export interface Connector {
  /** A connected TCP socket. Rejects with a message fit for the result. */
  tcp(target: { host: string; port: number }, options: ConnectOptions): Promise<Socket>;
  /** A UDP socket for datagrams to and from one place. */
  udp(target: { host: string; port: number }, options: ConnectOptions): Promise<DatagramSocket>;
  /** A connected unix socket; refused unless its directory is one that the server allows. */
  socketFile(path: string, options: { signal: AbortSignal }): Promise<Socket>;
  /** Resolves a name and returns the addresses that the policy allows; rejects when none is left. */
  resolve(host: string, options: { signal: AbortSignal; family?: 4 | 6 }): Promise<string[]>;
  /** Throws when the policy forbids the address. */
  check(address: string): void;
  /** Rejects when somebody else may not be asked to connect there for us: the address is forbidden, or our database's. */
  judge(target: { host: string; port: number }, options: { signal: AbortSignal }): Promise<void>;
  /** Runs scripts of documents. */
  readonly programs: Programs;
  /** The Kubernetes cluster of documents that name none. */
  readonly findCluster: FindCluster;
}

export interface OutboundPolicy extends AddressPolicy {
  /** None when absent. */
  sockets?: SocketPolicy;
  /** Of DATABASE_URL and MIGRATION_DATABASE_URL: no targets, unless `allow` names the very address. */
  databases?: readonly OwnDatabase[];
  /** Off when absent. */
  programs?: Programs;
  /** None when absent. */
  findCluster?: FindCluster;
}

/** Rejects as soon as the signal is aborted; what was being waited for goes on unheard. */
async function heed<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener("abort", stop);
  }
}

/** Addresses of which it is remembered whether they are allowed; with that many anew they are forgotten. */
const ADDRESSES_KEPT = 10_000;

const noSockets: SocketPolicy = { allow: [], never: [] };

export function createConnector(policy: OutboundPolicy = {}): Connector {
  const { sockets = noSockets, databases = [] } = policy;
  const programs = policy.programs ?? createPrograms({ exec: "off", execUids: { from: 0, to: 0 } });
  const denied = (policy.deny ?? deniedByDefault).map(parseNetwork);
  const allowed = (policy.allow ?? []).map(parseNetwork);
  const namedAlone = allowed.filter(([network, bits]) => bits === network.toByteArray().length * 8);
  // Look-ups run on a small pool of threads: a hundred checks of one slow name share one look-up.
  const underWay = new Map<string, Promise<{ address: string; family: number }[]>>();

  /** By address: the policy stays, and checks ask for the same few all the time. */
  const judged = new Map<string, boolean>();

  function isForbidden(text: string): boolean {
    const known = judged.get(text);
    if (known !== undefined) return known;
    const address = ipaddr.parse(text);
    const isDenied = meanings(address).some(
      (meaning) => isIn(meaning, denied) && !isIn(meaning, allowed),
    );
    if (judged.size >= ADDRESSES_KEPT) judged.clear();
    judged.set(text, isDenied);
    return isDenied;
  }

  function check(address: string): void {
    if (!ipaddr.isValid(address)) throw new Error(`"${address}" is not an address.`);
    if (isForbidden(address))
      throw new NotTried(`the address ${address} is not allowed by this server's address policy`);
  }

  function find(host: string) {
    let looking = underWay.get(host);
    if (!looking) {
      looking = lookup(host, { all: true, order: "verbatim" }).finally(() => underWay.delete(host));
      underWay.set(host, looking);
    }
    return looking;
  }

  const resolve: Connector["resolve"] = async (host, { signal, family }) => {
    signal.throwIfAborted();
    if (isIP(host)) {
      if (family && isIP(host) !== family)
        throw new Error(`${host} is not an IPv${family} address`);
      check(host);
      return [host];
    }
    let found: { address: string; family: number }[];
    try {
      found = await heed(signal, find(host));
    } catch (error) {
      throw describeNetworkError(error, host);
    }
    const usable = family ? found.filter((entry) => entry.family === family) : found;
    const good = usable.map(({ address }) => address).filter((address) => !isForbidden(address));
    if (good.length > 0) return good;
    const first = usable[0]?.address;
    if (first === undefined)
      throw new Error(`the name "${host}" has no${family ? ` IPv${family}` : ""} address`);
    throw new NotTried(
      `the name "${host}" leads to ${first}, which is not allowed by this server's address policy`,
    );
  };

  /** The addresses among these that do not lead to our own database. */
  async function besidesDatabase(addresses: string[], port: number): Promise<string[]> {
    const near = databases.filter((database) => database.port === port);
    if (near.length === 0) return addresses;
    const judged = await Promise.all(
      addresses.map(async (address) => {
        const isNamed = meanings(ipaddr.parse(address)).every((one) => isIn(one, namedAlone));
        if (isNamed) return true;
        const answers = await Promise.all(near.map((database) => database.isAt(address)));
        return !answers.includes(true);
      }),
    );
    const good = addresses.filter((_, index) => judged[index]);
    if (good.length > 0) return good;
    throw new NotTried(
      `${placeName(addresses[0] as string, port)} is this server's own database, which is not allowed by this server's address policy`,
    );
  }

  /** Where a connection may go: what is ours goes where the machine sends it. */
  async function addressesOf(
    { host, port }: { host: string; port: number },
    { signal, isOwn }: ConnectOptions,
  ): Promise<string[]> {
    if (!isOwn) return heed(signal, besidesDatabase(await resolve(host, { signal }), port));
    if (isIP(host)) return [host];
    const found = await heed(signal, find(host)).catch((error: unknown) => {
      throw signal.aborted ? error : describeNetworkError(error, host);
    });
    return found.map(({ address }) => address);
  }

  const tcp: Connector["tcp"] = async ({ host, port }, options) => {
    const { signal } = options;
    const addresses = await addressesOf({ host, port }, options);
    options.onFound?.();
    const target = {
      host,
      port,
      autoSelectFamily: true,
      // The name is never looked up again: the socket gets exactly the addresses that were judged.
      lookup: ((_host, options, done) => {
        const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) done(null, pinned);
        else done(null, pinned[0]?.address as string, pinned[0]?.family);
      }) satisfies LookupFunction,
    };
    return connected(target, placeName(addresses[0] ?? host, port), signal);
  };

  const udp: Connector["udp"] = async ({ host, port }, options) => {
    const addresses = await addressesOf({ host, port }, options);
    return openDatagrams({ address: addresses[0] as string, port }, options.signal);
  };

  const socketFile: Connector["socketFile"] = async (path, { signal }) => {
    const real = await heed(signal, judgeSocket(path, sockets));
    return connected({ path: real }, path, signal);
  };

  const judge: Connector["judge"] = async ({ host, port }, { signal }) => {
    await heed(signal, besidesDatabase(await resolve(host, { signal }), port));
  };

  const findCluster = policy.findCluster ?? (async () => undefined);
  return { tcp, udp, socketFile, resolve, check, judge, programs, findCluster };
}

function connected(target: NetConnectOpts, place: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((fulfil, reject) => {
    signal.throwIfAborted();
    const socket = connectSocket(target);
    const settle = () => {
      signal.removeEventListener("abort", stop);
      socket.removeListener("error", fail);
      socket.removeListener("connect", ready);
    };
    const fail = (error: Error) => {
      settle();
      reject(describeNetworkError(error, place));
    };
    const ready = () => {
      settle();
      fulfil(socket);
    };
    const stop = () => {
      settle();
      socket.on("error", () => undefined);
      socket.destroy();
      reject(signal.reason as Error);
    };
    socket.once("error", fail);
    socket.once("connect", ready);
    signal.addEventListener("abort", stop, { once: true });
  });
}
