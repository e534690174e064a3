import { lookup } from "node:dns/promises";
import { connect as connectSocket, isIP, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { describeNetworkError, placeName } from "./network-errors.ts";

/** Opens sockets for checks under the address policy: the address is judged when it is known, just before connecting. */
export interface Connector {
  /** A connected TCP socket. Rejects with a message fit for the result. */
  tcp(target: { host: string; port: number }, options: { signal: AbortSignal }): Promise<Socket>;
  /** Resolves a name and returns the addresses that the policy allows; rejects when none is left. */
  resolve(host: string, options: { signal: AbortSignal; family?: 4 | 6 }): Promise<string[]>;
  /** Throws when the policy forbids the address. */
  check(address: string): void;
}

/** Where checks may connect to. Everything that is not denied is allowed. */
export interface AddressPolicy {
  /** Networks (CIDR) or addresses that are refused; `deniedByDefault` when absent. */
  deny?: readonly string[];
  /** Exceptions from `deny`. To allow only some networks, deny 0.0.0.0/0 and ::/0 and list them here. */
  allow?: readonly string[];
}

/** Cloud metadata services, link-local, unspecified, broadcast and multicast addresses: no target of a check. */
export const deniedByDefault: readonly string[] = [
  "169.254.0.0/16",
  "fe80::/10",
  "fd00:ec2::254/128",
  "0.0.0.0/8",
  "::/128",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "ff00::/8",
];

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Throws when the text is neither an address nor a network; configuration is checked at start with it. */
export function parseNetwork(text: string): Network {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.parse(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch (error) {
    throw new Error(`"${text}" is not an address or a network such as 10.0.0.0/8.`, {
      cause: error,
    });
  }
}

const isIn = (address: Address, networks: readonly Network[]) =>
  networks.some(
    ([network, bits]) =>
      address.kind() === network.kind() && address.match([network, bits] as never),
  );

const ipv4At = (bytes: number[], from: number) => new ipaddr.IPv4(bytes.slice(from, from + 4));

/** The address itself and the IPv4 address that it carries: mapped, compatible, NAT64 and 6to4 all end up there. */
function meanings(address: Address): Address[] {
  if (address.kind() === "ipv4") return [address];
  const ipv6 = address as ipaddr.IPv6;
  const bytes = ipv6.toByteArray();
  const startsWith = (...prefix: number[]) => prefix.every((byte, index) => bytes[index] === byte);
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  // A mapped address is used as IPv4 by the system, so only that meaning counts.
  if (ipv6.isIPv4MappedAddress()) return [ipv6.toIPv4Address()];
  if (startsWith(0x20, 0x02)) return [ipv6, ipv4At(bytes, 2)];
  if (startsWith(0x00, 0x64, 0xff, 0x9b, ...zeros(8))) return [ipv6, ipv4At(bytes, 12)];
  const isLow = bytes[12] === 0 && bytes[13] === 0;
  if (startsWith(...zeros(12)) && !isLow) return [ipv6, ipv4At(bytes, 12)];
  return [ipv6];
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

export function createConnector(policy: AddressPolicy = {}): Connector {
  const denied = (policy.deny ?? deniedByDefault).map(parseNetwork);
  const allowed = (policy.allow ?? []).map(parseNetwork);
  // Look-ups run on a small pool of threads: a hundred checks of one slow name share one look-up.
  const underWay = new Map<string, Promise<{ address: string; family: number }[]>>();

  function isForbidden(text: string): boolean {
    const address = ipaddr.parse(text);
    return meanings(address).some((meaning) => isIn(meaning, denied) && !isIn(meaning, allowed));
  }

  function check(address: string): void {
    if (!ipaddr.isValid(address)) throw new Error(`"${address}" is not an address.`);
    if (isForbidden(address))
      throw new Error(`the address ${address} is not allowed by this server's address policy`);
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
    throw new Error(
      first === undefined
        ? `the name "${host}" has no${family ? ` IPv${family}` : ""} address`
        : `the name "${host}" leads to ${first}, which is not allowed by this server's address policy`,
    );
  };

  const tcp: Connector["tcp"] = async ({ host, port }, { signal }) => {
    const addresses = await resolve(host, { signal });
    return new Promise((fulfil, reject) => {
      // The name is never looked up again: the socket gets exactly the addresses that were judged.
      const socket = connectSocket({
        host,
        port,
        autoSelectFamily: true,
        lookup: (_host, options, done) => {
          const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
          if (options.all) done(null, pinned);
          else done(null, pinned[0]?.address as string, pinned[0]?.family);
        },
      });
      const settle = () => {
        signal.removeEventListener("abort", stop);
        socket.removeListener("error", fail);
        socket.removeListener("connect", ready);
      };
      const fail = (error: Error) => {
        settle();
        reject(describeNetworkError(error, placeName(addresses[0] ?? host, port)));
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
  };

  return { tcp, resolve, check };
}
