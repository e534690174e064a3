import ipaddr from "ipaddr.js";

/** Where checks may connect to. Everything that is not denied is allowed. */
export interface AddressPolicy {
  /** Networks (CIDR) or addresses that are refused; `deniedByDefault` when absent. */
  deny?: readonly string[];
  /** Exceptions from `deny`. To allow only some networks, deny 0.0.0.0/0 and ::/0 and list them here. */
  allow?: readonly string[];
}

/**
 * No target of a check: addresses that answer whoever asks from this machine with its credentials, and those that mean
 * no single other machine.
 */
export const deniedByDefault: readonly string[] = [
  // Link-local (RFC 3927, RFC 4291). The metadata of AWS, Google, Azure, Oracle, DigitalOcean, Hetzner, Akamai, Vultr,
  // Scaleway, IBM, OpenStack (also at fe80::a9fe:a9fe), Tencent (169.254.0.23), credentials of ECS tasks
  // (169.254.170.2) and EKS pods (169.254.170.23).
  "169.254.0.0/16",
  "fe80::/10",
  // AWS over IPv6: instance metadata (EC2 user guide, IMDS) and credentials of pods (EKS Pod Identity agent).
  "fd00:ec2::254/128",
  "fd00:ec2::23/128",
  // Google over IPv6 (Compute Engine, metadata server).
  "fd20:ce::254/128",
  // Oracle over IPv6 (instance metadata service), and the metadata of its older cloud.
  "fd00:c1::a9fe:a9fe/128",
  "192.0.0.192/32",
  // Akamai (Linode) and Scaleway over IPv6 (their metadata services).
  "fd00:a9fe:a9fe::1/128",
  "fd00:42::42/128",
  // Alibaba (ECS metadata).
  "100.100.100.200/32",
  "fd00:100::100:200/128",
  // Azure (WireServer: certificates and settings of the machine).
  "168.63.129.16/32",
  // "This host" (RFC 1122): the system connects to itself.
  "0.0.0.0/8",
  "::/128",
  // Many at once: multicast (RFC 5771, RFC 4291) and broadcast (RFC 919).
  "224.0.0.0/4",
  "ff00::/8",
  "255.255.255.255/32",
];

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = [Address, number];

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

export const isIn = (address: Address, networks: readonly Network[]): boolean =>
  networks.some(
    ([network, bits]) =>
      address.kind() === network.kind() && address.match([network, bits] as never),
  );

/** The four bytes at these places, as an address. */
const ipv4Of = (bytes: readonly number[], places: readonly number[]) =>
  new ipaddr.IPv4(places.map((place) => bytes[place] as number));

const last = [12, 13, 14, 15];

/** Where RFC 6052 (section 2.2) puts an IPv4 address behind a prefix of 48, 56, 64 or 96 bits; byte 8 is left out. */
const behindPrefixes = [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], last];

/**
 * An address and every IPv4 address that it may lead to: something on the way (the system, a translator, a tunnel) takes
 * it out again.
 */
export function meanings(address: Address): Address[] {
  if (address.kind() === "ipv4") return [address];
  const ipv6 = address as ipaddr.IPv6;
  const bytes = ipv6.toByteArray();
  const has = (at: number, ...wanted: number[]) =>
    wanted.every((byte, index) => bytes[at + index] === byte);
  const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
  // ::ffff:a.b.c.d is used as IPv4 by the system, so only that meaning counts.
  if (ipv6.isIPv4MappedAddress()) return [ipv6.toIPv4Address()];
  const found: Address[] = [ipv6];
  // ::a.b.c.d (compatible, RFC 4291); ::1 and its like are none.
  if (has(0, ...zeros(12)) && !has(12, 0, 0)) found.push(ipv4Of(bytes, last));
  // ::ffff:0:a.b.c.d (translated, RFC 2765).
  if (has(0, ...zeros(8), 0xff, 0xff, 0, 0)) found.push(ipv4Of(bytes, last));
  // 64:ff9b::a.b.c.d (NAT64, RFC 6052).
  if (has(0, 0, 0x64, 0xff, 0x9b, ...zeros(8))) found.push(ipv4Of(bytes, last));
  // 64:ff9b:1::/48 (a network's own NAT64, RFC 8215): its prefix may be longer, so any of them may be meant.
  if (has(0, 0, 0x64, 0xff, 0x9b, 0, 1)) found.push(...translations(bytes));
  // 2002:aabb:ccdd::/48 (6to4, RFC 3056).
  if (has(0, 0x20, 0x02)) found.push(ipv4Of(bytes, [2, 3, 4, 5]));
  // 2001:0:<server>:<flags>:<port>:<client, inverted> (Teredo, RFC 4380).
  if (has(0, 0x20, 0x01, 0, 0)) {
    const inverted = bytes.map((byte) => byte ^ 0xff);
    found.push(ipv4Of(bytes, [4, 5, 6, 7]), ipv4Of(inverted, last));
  }
  // …:0:5efe:a.b.c.d and …:200:5efe:a.b.c.d (ISATAP, RFC 5214).
  if (has(8, 0, 0, 0x5e, 0xfe) || has(8, 2, 0, 0x5e, 0xfe)) found.push(ipv4Of(bytes, last));
  return found;
}

/**
 * What stands in the places that are not meant is mostly zeros: these count only when nothing else stands anywhere. No
 * translator leads to 0.0.0.0/8.
 */
function translations(bytes: readonly number[]): Address[] {
  const all = behindPrefixes.map((places) => ipv4Of(bytes, places));
  const some = all.filter((address) => address.octets[0] !== 0);
  return some.length > 0 ? some : all;
}
