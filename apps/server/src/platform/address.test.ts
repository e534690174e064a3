import { amount } from "@mainstay/testkit/sample.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountKey, normalAddress } from "./address.ts";
import { spellings } from "./testing/spellings.ts";

test.each(spellings)("%s: %j is %j", (_what, spelling, is) => {
  expect(normalAddress(spelling)).toBe(is);
  if (is !== undefined) expect(accountKey(spelling)).toBe(is);
});

const anySign = fc.oneof(
  fc.string({ unit: "binary", maxLength: 3 }),
  fc.string({ unit: "grapheme", maxLength: 3 }),
  fc.constantFrom(
    "\u0130",
    "\u0131",
    "\u0307",
    "\u0301",
    "ς",
    "Σ",
    "ẞ",
    "ß",
    "\u212a",
    "İ",
    "ǅ",
    ".",
  ),
);
const anyText = fc.array(anySign, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
const anyAddress = fc.oneof(
  fc.tuple(anyText, anyText).map(([local, domain]) => `${local}@${domain}.example`),
  fc.emailAddress(),
);

describe("whatever is typed", () => {
  test("the normal form is its own", () => {
    let addresses = 0;
    fc.assert(
      fc.property(anyAddress, (typed) => {
        const address = normalAddress(typed);
        if (address === undefined) return;
        addresses += 1;
        expect(normalAddress(address)).toBe(address);
        expect(normalAddress(` ${address}. `)).toBe(address);
        expect(address).toBe(address.normalize("NFKC"));
        expect(address.split("@")[1]).toMatch(/^[\x21-\x7e]+$/);
      }),
      { numRuns: amount(20_000, 5_000) },
    );
    expect(addresses).toBeGreaterThan(1_000);
  });

  test("capital letters make no other address, nor do decomposed ones", () => {
    fc.assert(
      fc.property(anyAddress, (typed) => {
        const address = normalAddress(typed);
        if (address === undefined) return;
        // Sign by sign: at the end of a word the small sigma is another one, and in a domain another domain.
        const small = Array.from(typed, (sign) => sign.toLowerCase()).join("");
        for (const other of [small, typed.normalize("NFD")])
          expect([address, undefined]).toContain(normalAddress(other));
      }),
      { numRuns: amount(20_000, 5_000) },
    );
  });
});

test("no sign but a capital letter can stand for one of ASCII before the @", () => {
  const standing: string[] = [];
  for (let code = 0x80; code <= 0x10ffff; code += 1) {
    const sign = String.fromCodePoint(code);
    const address = normalAddress(`x${sign}x@a`);
    if (address !== undefined && /^[ -~]*$/.test(address)) standing.push(sign);
  }
  // For Unicode they are the signs themselves: a grave accent, and the Kelvin sign, which is the letter.
  expect(standing).toEqual(["\u1fef", "\u212a"]);
});

test("a name that is no address counts as what it is meant to be taken for", () => {
  const disguises = [
    "admin",
    "ADMIN",
    "adm\u0130n",
    "adm\u0131n",
    "ad\u200dmin",
    "ａdmin",
    " admin\u0301 ",
  ];
  expect(new Set(disguises.map(accountKey)).size).toBe(1);
  expect(accountKey("addres\u017f")).toBe(accountKey("address"));
  expect(accountKey("admin2")).not.toBe(accountKey("admin"));
  expect(accountKey("x".repeat(10_000)).length).toBeLessThanOrEqual(320);
});
