import { Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import { makeTotpSecret, qrImage, totpAddress, totpStep } from "./totp.ts";

/** The secret of RFC 6238, appendix B. */
const secret = Secret.fromLatin1("12345678901234567890").base32;

describe("the test vectors of RFC 6238, appendix B", () => {
  test.each([
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ])("at second %i", (second, eightDigits) => {
    const now = new Date(second * 1000);
    // The vectors have eight digits; a code of six is the last six of them.
    const code = eightDigits.slice(2);
    expect(totpStep({ secret, code, now })).toBe(Math.floor(second / 30));
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
    expect(totpStep({ secret, code: wrong, now })).toBeUndefined();
  });
});

describe("a clock that is wrong", () => {
  const codeAt = (seconds: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: seconds * 1000 });
  const now = 1_700_000_010;
  const step = Math.floor(now / 30);

  test.each([
    { off: 0, found: step },
    { off: -30, found: step - 1 },
    { off: 30, found: step + 1 },
    { off: -60, found: undefined },
    { off: 60, found: undefined },
    { off: -3600, found: undefined },
    { off: 3600, found: undefined },
  ])("by $off seconds", ({ off, found }) => {
    expect(totpStep({ secret, code: codeAt(now + off), now: new Date(now * 1000) })).toBe(found);
  });
});

test.each(["", "12345", "1234567", "12345a", "１２３４５６", "-12345", "0x1234", "1e5000"])(
  "%j is no code",
  (code) => {
    expect(totpStep({ secret, code, now: new Date(59_000) })).toBeUndefined();
  },
);

test("spaces in a code do not matter: apps show them", () => {
  expect(totpStep({ secret, code: " 287 082 ", now: new Date(59_000) })).toBe(1);
});

test("a secret has 160 bits and no two are the same", () => {
  const secrets = Array.from({ length: 20 }, makeTotpSecret);
  expect(new Set(secrets).size).toBe(20);
  for (const made of secrets) expect(Secret.fromBase32(made).bytes).toHaveLength(20);
});

test("the address names issuer and account, whatever is in them", () => {
  const address = totpAddress({
    secret,
    account: "ada+ü:&?@example.org",
    issuer: "Mainstay (ops & co)",
  });
  const url = new URL(address);
  expect(url.protocol).toBe("otpauth:");
  expect(decodeURIComponent(url.pathname)).toContain("ada+ü:&?@example.org");
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    secret,
    issuer: "Mainstay (ops & co)",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  });
});

test("the picture is one the content security policy lets through", () => {
  const image = qrImage(totpAddress({ secret, account: "ada@example.org", issuer: "Mainstay" }));
  expect(image).toMatch(/^data:image\/svg\+xml;base64,[\w+/]+=*$/);
  const svg = Buffer.from(image.split(",")[1]!, "base64").toString();
  expect(svg).toMatch(/^<svg /);
});
