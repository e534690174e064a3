import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartupError } from "@mainstay/embedded-postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createEncryption,
  type Encryption,
  makeNewKey,
  openEncryption,
  testKeyring,
} from "./encryption.ts";

const key = (fill: number) => Buffer.alloc(32, fill);
const encryption = createEncryption(key(1));

test.each([
  ["nothing", ""],
  ["one letter", "x"],
  ["signs of all kinds", "漢字 👩‍👩‍👧‍👦"],
  ["much", "s".repeat(100_000)],
])("%s is read again, and looks different each time", (_what, text) => {
  const [first, second] = [encryption.encrypt(text, "a"), encryption.encrypt(text, "a")];
  expect(first).not.toBe(second);
  expect(first).toMatch(new RegExp(`^m1:${encryption.keyId}:[\\w-]+$`));
  expect([encryption.decrypt(first, "a"), encryption.decrypt(second, "a")]).toEqual([text, text]);
});

test("what is encrypted does not show what it was", () => {
  const text = "JBSWY3DPEHPK3PXP";
  const sealed = encryption.encrypt(text, "a");
  for (const shown of [
    text,
    ...(["base64url", "hex"] as const).map((as) => Buffer.from(text).toString(as)),
  ])
    expect(sealed).not.toContain(shown);
});

const sealed = encryption.encrypt("secret", "totp 1");
const flip = (text: string, at: number) => {
  const [prefix, id, body = ""] = text.split(":");
  const bytes = Buffer.from(body, "base64url");
  bytes[at < 0 ? bytes.length + at : at]! ^= 1;
  return `${prefix}:${id}:${bytes.toString("base64url")}`;
};
test.each<[string, () => string]>([
  ["that was moved to another place", () => encryption.decrypt(sealed, "totp 2")],
  ["with another first byte", () => encryption.decrypt(flip(sealed, 0), "totp 1")],
  ["with another text", () => encryption.decrypt(flip(sealed, 14), "totp 1")],
  ["with another tag", () => encryption.decrypt(flip(sealed, -1), "totp 1")],
  ["that was cut", () => encryption.decrypt(sealed.slice(0, 30), "totp 1")],
  ["that is nothing", () => encryption.decrypt("", "totp 1")],
  ["of an unknown form", () => encryption.decrypt(`m2${sealed.slice(2)}`, "totp 1")],
  ["of another key", () => createEncryption(key(2)).decrypt(sealed, "totp 1")],
])("a secret %s is not read", (_name, read) => {
  expect(read).toThrow();
});

test("a key that is missing is named, and what to do", () => {
  expect(() => createEncryption(key(2)).decrypt(sealed, "totp 1")).toThrow(
    /encrypted with key [0-9a-f]{8}, .* MAINSTAY_ENCRYPTION_KEY/,
  );
});

test("a keyed hash depends on key, place and text, and on where one ends and the other begins", () => {
  const hashes = [
    encryption.mac("123456", "code 1"),
    encryption.mac("123456", "code 2"),
    encryption.mac("123457", "code 1"),
    encryption.mac("1 123456", "code"),
    createEncryption(key(2)).mac("123456", "code 1"),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(encryption.mac("123456", "code 1")).toBe(hashes[0]);
});

test.each<[string, Partial<Pick<Encryption, "encrypt" | "decrypt">>]>([
  ["cannot write", { encrypt: () => never() }],
  ["cannot read what it wrote", { decrypt: () => never() }],
  ["reads something else", { decrypt: () => "something else" }],
  ["reads it in any place", { decrypt: (sealed) => encryption.decrypt(sealed, "self-test") }],
  ["writes it as it is", { encrypt: (text) => text, decrypt: readable }],
])("a server whose encryption %s does not start", (_what, broken) => {
  expect(() => testKeyring(encryption)).not.toThrow();
  const start = () => testKeyring({ ...encryption, ...broken });
  expect(start).toThrow(StartupError);
  expect(start).toThrow("Secrets cannot be encrypted on this machine: the self-test failed.");
});
const never = (): never => {
  throw new Error("no such cipher");
};
/** Bound to its place, and hidden from nobody. */
function readable(sealed: string, place: string): string {
  return place === "self-test" ? sealed : never();
}

describe("the key", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "mainstay-key-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const at = (dataDir: string) => openEncryption({ dataDir, encryptionKey: undefined });

  test("is made once, for its owner only, and the same afterwards", () => {
    const dataDir = join(directory, "deep/data");
    const made = at(dataDir);
    const file = join(dataDir, "encryption.key");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(at(dataDir)).toBe(made);
  });

  test("that is given is taken, and no file is made", () => {
    const given = openEncryption({ dataDir: directory, encryptionKey: key(1).toString("base64") });
    expect(given.keyId).toBe(encryption.keyId);
    expect(existsSync(join(directory, "encryption.key"))).toBe(false);
  });

  test("that is damaged stops the start instead of being replaced", () => {
    writeFileSync(join(directory, "encryption.key"), "oops", { mode: 0o600 });
    expect(() => at(directory)).toThrow(/is not an encryption key/);
  });

  test("that cannot be written stops the start with what to do", () => {
    writeFileSync(join(directory, "file"), "");
    expect(() => at(join(directory, "file"))).toThrow(/MAINSTAY_ENCRYPTION_KEY|not a directory/i);
  });

  test.each([0o640, 0o604, 0o644, 0o660])("that others may read (%o) stops the start", (mode) => {
    at(join(directory, "data"));
    const file = join(directory, "data/encryption.key");
    chmodSync(file, mode);
    // Another name for the same directory: what was opened once is not read again.
    expect(() => at(`${directory}/./data`)).toThrow(/can be read by others .*chmod 600/);
    chmodSync(file, 0o600);
    expect(at(`${directory}/./data`).keyId).toMatch(/^[0-9a-f]{8}$/);
  });

  test("that is new takes over at once, also in a server that does not know of it, and the old one still reads", () => {
    const dataDir = join(directory, "data");
    const here = at(dataDir);
    const there = at(`${dataDir}/`);
    const before = { id: here.keyId, sealed: here.encrypt("old", "a") };
    const made = makeNewKey({ dataDir, encryptionKey: undefined });
    expect([here.keyId, here.knownKeys]).toEqual([made, [made, before.id]]);
    expect(here.decrypt(before.sealed, "a")).toBe("old");
    expect(here.macs("x", "a")).toHaveLength(2);
    expect(here.macs("x", "a")[0]).toBe(here.mac("x", "a"));
    expect(there.keyId).toBe(before.id);
    expect(there.decrypt(here.encrypt("new", "a"), "a")).toBe("new");
    expect(there.keyId).toBe(made);
    for (const name of ["encryption.key", "encryption.previous.key"])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    const third = makeNewKey({ dataDir, encryptionKey: undefined });
    expect(here.knownKeys).toEqual([third, made, before.id]);
  });

  test("that was about to be replaced when the server was killed stays the key, and is replaced by the next try", () => {
    const before = at(join(directory, "before"));
    const sealed = before.encrypt("old", "a");
    const lines = readFileSync(join(directory, "before/encryption.key"), "utf8");
    // The first step is done, the second begun under another name.
    const dataDir = join(directory, "data");
    mkdirSync(dataDir);
    for (const name of ["encryption.key", "encryption.previous.key"])
      writeFileSync(join(dataDir, name), lines, { mode: 0o600 });
    writeFileSync(join(dataDir, "encryption.key.0123456789ab"), "half", { mode: 0o600 });
    const here = at(dataDir);
    expect(here.knownKeys).toEqual([before.keyId]);
    expect(here.decrypt(sealed, "a")).toBe("old");
    const made = makeNewKey({ dataDir, encryptionKey: undefined });
    expect(here.knownKeys).toEqual([made, before.keyId]);
    expect(readFileSync(join(dataDir, "encryption.previous.key"), "utf8")).toBe(lines);
  });

  test("that comes from the settings is changed there", () => {
    const given = { dataDir: directory, encryptionKey: key(1).toString("base64") };
    expect(() => makeNewKey(given)).toThrow(/MAINSTAY_ENCRYPTION_KEYS_PREVIOUS/);
    const next = openEncryption({
      dataDir: directory,
      encryptionKey: key(2).toString("base64"),
      encryptionKeysPrevious: [key(1).toString("base64")],
    });
    expect(next.decrypt(sealed, "totp 1")).toBe("secret");
    expect(next.encrypt("secret", "totp 1")).toContain(next.keyId);
    expect(next.keyId).not.toBe(encryption.keyId);
  });
});
