import { expect, test } from "vitest";
import { cmac, dialects, isSigned, signInPlace, smbKeys } from "./keys.ts";

const hex = (text: string) => Buffer.from(text, "hex");

/** What a whole session does with keys is tried against Samba, in the checks of folders. */

const message =
  "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
test.each([
  [0, "bb1d6929e95937287fa37d129b756746"],
  [16, "070a16b46b4d4144f79bdd9dd04a287c"],
  [40, "dfa66747de9ae63030ca32611497c827"],
  [64, "51f0bebf7e3b9d92fc49741779363cfe"],
])("AES-CMAC of RFC 4493: %i bytes", (length, expected) => {
  const key = hex("2b7e151628aed2a6abf7158809cf4f3c");
  expect(cmac(key, hex(message).subarray(0, length)).toString("hex")).toBe(expected);
});

test.each(dialects)("what is changed on the way is not taken for signed: version %i", (dialect) => {
  const keys = smbKeys({
    sessionKey: Buffer.alloc(16, 7),
    dialect,
    cipher: "aes-128-ccm",
    said: Buffer.alloc(64),
  });
  const sent = Buffer.alloc(100, 1);
  sent.writeUInt32LE(0, 16);
  expect(isSigned(sent, keys)).toBe(false);
  signInPlace(sent, keys);
  expect(isSigned(sent, keys)).toBe(true);
  for (const at of [0, 20, 48, 63, 99]) {
    const changed = Buffer.from(sent);
    changed[at]! ^= 1;
    expect(isSigned(changed, keys), `byte ${at}`).toBe(false);
  }
});
