import { describe, expect, test } from "vitest";
import { md4 } from "./md4.ts";
import { ntlmAuthenticate, readNtlmChallenge, respondV1, respondV2, splitLogin } from "./ntlm.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
const clientChallenge = hex("aaaaaaaaaaaaaaaa");
const challenge = hex("0123456789abcdef");
const login = { username: String.raw`Domain\User`, password: "Password" };

test.each([
  ["", "31d6cfe0d16ae931b73c59d7e0c089c0"],
  ["abc", "a448017aaf21d8525fc10ae87aa6729d"],
  [
    "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
    "e33b4ddc9c38f2199c3e7b164fcc0536",
  ],
])("MD4 of RFC 1320: %s", (text, digest) => {
  expect(md4(Buffer.from(text)).toString("hex")).toBe(digest);
});

describe("the examples of [MS-NLMP], section 4.2", () => {
  test("version 1", () => {
    const { nt } = respondV1({ server: { flags: 0, challenge }, login, clientChallenge });
    expect(nt).toEqual(hex("67c43011f30298a2ad35ece64f16331c44bdbed927841f94"));
  });

  test("version 1 with extended security", () => {
    const server = { flags: 0x80000, challenge };
    const { nt, lm } = respondV1({ server, login, clientChallenge });
    expect(nt).toEqual(hex("7537f803ae367128ca458204bde7caf81e97ed2683267232"));
    expect(lm).toEqual(hex("aaaaaaaaaaaaaaaa00000000000000000000000000000000"));
  });

  test("version 2", () => {
    const targetInfo = hex(
      "02000c0044006f006d00610069006e00 01000c00530065007200760065007200 00000000",
    );
    const { nt, lm } = respondV2({
      server: { flags: 0, challenge, targetInfo },
      login,
      clientChallenge,
      now: new Date(-11_644_473_600_000),
    });
    expect(nt.subarray(0, 16)).toEqual(hex("68cd0ab851e51c96aabc927bebef6a1c"));
    expect(lm).toEqual(hex("86c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa"));
  });
});

test("the server's own clock is said again, and the weaker response left out", () => {
  const time = "0011223344556677";
  const targetInfo = hex(`01000000 07000800 ${time} 00000000`);
  const server = { flags: 0, challenge, targetInfo };
  const { nt, lm } = respondV2({ server, login, clientChallenge, now: new Date() });
  expect(nt.subarray(24, 32)).toEqual(hex(time));
  expect(lm).toEqual(Buffer.alloc(24));
});

test("names and their domains", () => {
  expect(splitLogin(String.raw`SHOP\ann`)).toEqual({ domain: "SHOP", user: "ann" });
  expect(splitLogin("ann@shop.example")).toEqual({ domain: "", user: "ann@shop.example" });
  expect(splitLogin("ann")).toEqual({ domain: "", user: "ann" });
});

test("a server that says nothing of itself gets version 1, unless only version 2 is meant", () => {
  const server = { flags: 0x80201, challenge };
  const ntLength = (isV2Only: boolean) =>
    ntlmAuthenticate({ server, login, isV2Only }).readUInt16LE(20);
  expect(ntLength(false)).toBe(24);
  expect(ntLength(true)).toBeGreaterThan(24);
});

test("garbage is no challenge", () => {
  expect(readNtlmChallenge(Buffer.alloc(0))).toBeUndefined();
  expect(readNtlmChallenge(Buffer.alloc(100, "x"))).toBeUndefined();
  const outside = Buffer.alloc(48);
  outside.write("NTLMSSP\0", "latin1");
  outside.writeUInt32LE(2, 8);
  outside.writeUInt32LE(0x800000, 20);
  outside.writeUInt16LE(60_000, 40);
  expect(readNtlmChallenge(outside)).toBeUndefined();
  const endless = Buffer.from(outside);
  endless.writeUInt16LE(0, 40);
  expect(readNtlmChallenge(endless)).toMatchObject({ targetInfo: Buffer.alloc(0) });
});
