import { expect, test } from "vitest";
import { networkOf } from "./network-of.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:0201", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "20010db800010002"],
  ["2001:DB8:1:2::9", "20010db800010002"],
  ["2001:db8::1", "20010db800000000"],
  ["::1", "0000000000000000"],
])("%s counts as %s", (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

test.each([
  ["a port", ["192.0.2.1", "192.0.2.1:1024", "192.0.2.1:1025", " 192.0.2.1:"]],
  [
    "brackets, quotes and a port",
    ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:80", '"[2001:db8::1]:81"'],
  ],
  ["a zone", ["fe80::1", "fe80::1%eth0", "fe80::1%1", "[fe80::1%x]:9"]],
  [
    "another address of one's 6to4 network",
    ["192.0.2.1", "2002:c000:201::1", "2002:c000:201:ff::"],
  ],
  ["what a translator makes of it", ["192.0.2.1", "64:ff9b::c000:201", "64:ff9b::192.0.2.1"]],
  ["nonsense, which is all the same", ["unreadable", "unknown", "_hidden", "", "x".repeat(99)]],
])("%s makes no new sender", (_what, spellings) => {
  expect(new Set(spellings.map(networkOf)).size).toBe(1);
});

test("other people's networks are others", () => {
  const all = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "2002:c000:202::1", "x"];
  // The fifth is the second's.
  expect(new Set(all.map(networkOf)).size).toBe(all.length - 1);
});
