import { describe, expect, test } from "vitest";
import { createConnector } from "./connector.ts";

type Bytes = [number, number, number, number];
const bytesOf = (address: string) => address.split(".").map(Number) as Bytes;
const hex = (...bytes: number[]) =>
  bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
const group = (high: number, low: number) => hex(high, low);

/** Every way to write an IPv4 address inside an IPv6 one that something on the way takes out again. */
const embeddings: Record<string, (address: Bytes) => string> = {
  mapped: ([a, b, c, d]) => `::ffff:${a}.${b}.${c}.${d}`,
  "mapped, in hex": ([a, b, c, d]) => `::ffff:${group(a, b)}:${group(c, d)}`,
  "mapped, at length": ([a, b, c, d]) => `0:0:0:0:0:FFFF:${group(a, b)}:${group(c, d)}`,
  compatible: ([a, b, c, d]) => `::${a}.${b}.${c}.${d}`,
  translated: ([a, b, c, d]) => `::ffff:0:${a}.${b}.${c}.${d}`,
  NAT64: ([a, b, c, d]) => `64:ff9b::${a}.${b}.${c}.${d}`,
  "local NAT64, 48 bits": ([a, b, c, d]) =>
    `64:ff9b:1:${group(a, b)}:${group(0, c)}:${group(d, 0)}::`,
  "local NAT64, 56 bits": ([a, b, c, d]) =>
    `64:ff9b:1:${group(0, a)}:${group(0, b)}:${group(c, d)}::`,
  "local NAT64, 64 bits": ([a, b, c, d]) =>
    `64:ff9b:1:0:${group(0, a)}:${group(b, c)}:${group(d, 0)}:0`,
  "local NAT64, 96 bits": ([a, b, c, d]) => `64:ff9b:1::${a}.${b}.${c}.${d}`,
  "local NAT64 of another network": ([a, b, c, d]) =>
    `64:ff9b:1:ffff:0:ffff:${group(a, b)}:${group(c, d)}`,
  "6to4": ([a, b, c, d]) => `2002:${group(a, b)}:${group(c, d)}::1`,
  "Teredo, the server": ([a, b, c, d]) => `2001:0:${group(a, b)}:${group(c, d)}:0:ffff:f5ff:fffe`,
  "Teredo, the client": ([a, b, c, d]) =>
    `2001:0:808:808:0:ffff:${group(a ^ 255, b ^ 255)}:${group(c ^ 255, d ^ 255)}`,
  ISATAP: ([a, b, c, d]) => `2001:db8::5efe:${a}.${b}.${c}.${d}`,
  "ISATAP, global": ([a, b, c, d]) => `2001:db8::200:5efe:${a}.${b}.${c}.${d}`,
};

const denied = [
  "0.0.0.0",
  "0.0.0.1",
  "0.255.255.255",
  "100.100.100.200",
  "168.63.129.16",
  "169.254.0.0",
  "169.254.0.23",
  "169.254.42.42",
  "169.254.169.254",
  "169.254.170.2",
  "169.254.170.23",
  "169.254.255.255",
  "192.0.0.192",
  "224.0.0.0",
  "224.0.0.1",
  "239.255.255.255",
  "255.255.255.255",
];
/** Beside each of them. */
const neighbours = [
  "1.0.0.0",
  "100.100.100.199",
  "100.100.100.201",
  "168.63.129.15",
  "168.63.129.17",
  "169.253.255.255",
  "169.255.0.0",
  "192.0.0.191",
  "192.0.0.193",
  "223.255.255.255",
  "240.0.0.0",
  "255.255.255.254",
  "127.0.0.1",
  "10.0.0.1",
  "192.168.1.1",
  "8.8.8.8",
];
const deniedIpv6 = [
  "::",
  "fe80::",
  "fe80::a9fe:a9fe",
  "febf:ffff::1",
  "fd00:ec2::254",
  "fd00:ec2::23",
  "fd20:ce::254",
  "fd00:c1::a9fe:a9fe",
  "fd00:a9fe:a9fe::1",
  "fd00:42::42",
  "fd00:100::100:200",
  "ff00::",
  "ff02::1",
  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];
const neighboursIpv6 = [
  "::1",
  "fe7f:ffff::1",
  "fec0::1",
  "fd00:ec2::253",
  "fd00:ec2::255",
  "fd00:ec2::22",
  "fd00:ec2::24",
  "fd20:ce::253",
  "fd00:c1::a9fe:a9ff",
  "fd00:a9fe:a9fe::2",
  "fd00:42::41",
  "fd00:100::100:201",
  "feff:ffff::1",
  "2001:db8::1",
  "2001:4860:4860::8888",
];

const connector = createConnector();
const isRefused = (address: string) => {
  try {
    connector.check(address);
    return false;
  } catch (error) {
    expect((error as Error).message).toContain("is not allowed by this server's address policy");
    return true;
  }
};

/**
 * `::0.0.0.1` is the loopback address of IPv6 and carries nothing. Behind a prefix of unknown length zeros are what stands
 * in the places that are not meant; "this host" leads nowhere behind a translator.
 */
const meansNothing = (embedding: string, address: string) =>
  (embedding === "compatible" && address === "0.0.0.1") ||
  (embedding.startsWith("local NAT64") && address.startsWith("0."));

test.each(denied)("%s is refused, however it is dressed", (address) => {
  expect(isRefused(address)).toBe(true);
  const open = Object.entries(embeddings)
    .filter(([name]) => !meansNothing(name, address))
    .map(([name, dress]) => [name, dress(bytesOf(address))] as const)
    .filter(([, dressed]) => !isRefused(dressed));
  expect(open).toEqual([]);
});

test.each(neighbours)("%s beside it is not, dressed or not", (address) => {
  expect(isRefused(address)).toBe(false);
  const closed = Object.entries(embeddings)
    .map(([name, dress]) => [name, dress(bytesOf(address))] as const)
    .filter(([, dressed]) => isRefused(dressed));
  expect(closed).toEqual([]);
});

test.each(deniedIpv6)("%s is refused", (address) => expect(isRefused(address)).toBe(true));
test.each(neighboursIpv6)("%s beside it is not", (address) =>
  expect(isRefused(address)).toBe(false),
);

describe("other spellings of a number lead to the same refusal", () => {
  const numbers = (address: string): string[] => {
    const [a, b, c, d] = bytesOf(address);
    const whole = ((a * 256 + b) * 256 + c) * 256 + d;
    return [
      String(whole),
      `0x${whole.toString(16)}`,
      `0${whole.toString(8)}`,
      `${a}.${(b * 256 + c) * 256 + d}`,
      `${a}.${b}.${c * 256 + d}`,
      `0x${a.toString(16)}.0x${b.toString(16)}.0x${c.toString(16)}.0x${d.toString(16)}`,
      `0${a.toString(8)}.0${b.toString(8)}.0${c.toString(8)}.0${d.toString(8)}`,
      `${a}.${b}.0x${(c * 256 + d).toString(16)}`,
    ];
  };

  test.each(["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192"])(
    "%s",
    async (address) => {
      const { signal } = new AbortController();
      for (const spelling of numbers(address)) {
        await expect(connector.tcp({ host: spelling, port: 80 }, { signal })).rejects.toThrow(
          "address policy",
        );
        const { hostname } = new URL(`http://${spelling}/`);
        await expect(connector.tcp({ host: hostname, port: 80 }, { signal })).rejects.toThrow(
          "address policy",
        );
      }
    },
  );
});
