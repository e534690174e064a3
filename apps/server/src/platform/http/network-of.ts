import ipaddr from "ipaddr.js";

/**
 * The network that a request came from, by which its sender is counted: one customer has one IPv4 address but a whole
 * /64 of IPv6, and a proxy may have put a port or brackets around either. What is no address counts as one sender.
 */
export function networkOf(ip: string): string {
  const text = bare(ip);
  if (!ipaddr.isValid(text)) return "unreadable";
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  const bytes = address.toByteArray();
  // 6to4 and NAT64: a single IPv4 address has all of what follows it, or is what follows.
  if (bytes[0] === 0x20 && bytes[1] === 0x02) return bytes.slice(2, 6).join(".");
  if (nat64.every((byte, index) => bytes[index] === byte)) return bytes.slice(12).join(".");
  return Buffer.from(bytes.slice(0, 8)).toString("hex");
}

const nat64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

/** Without quotes, brackets, port and zone: all of them are at the sender's choice. */
function bare(ip: string): string {
  const text = ip.trim().replace(/^"(.*)"$/, "$1");
  const [, inBrackets] = /^\[([^\]]*)\](?::\d*)?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d*$/.exec(text) ?? [];
  return (inBrackets ?? withPort ?? text).replace(/%.*$/, "");
}
