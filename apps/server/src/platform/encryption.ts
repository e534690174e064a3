import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { StartupError } from "@mainstay/embedded-postgres";
import type { Config } from "./config.ts";

/**
 * Secrets that must be read again (a second factor's seed, a provider's token) are kept encrypted: AES-256-GCM, bound
 * to where they belong, so that one row's secret cannot be moved to another.
 */
export interface Encryption {
  /** `place` says where the text is kept, for example `totp <identity id>`; it must be the same when it is read. */
  encrypt(text: string, place: string): string;
  /** Throws when it was changed, moved, or written with a key that is not known. */
  decrypt(encrypted: string, place: string): string;
  /** A hash that only holders of the key can make, for what is too short to be hashed plainly. */
  mac(text: string, place: string): string;
  /** The same by every known key, to compare with what was made before the key changed. */
  macs(text: string, place: string): string[];
  /** Names the key that is written with, without telling it. */
  readonly keyId: string;
  /** Those that are read with; that one first. */
  readonly knownKeys: readonly string[];
}

const PREFIX = "m1";

/** Whether a text was encrypted with a key, which need not be known. */
export const isEncryptedWith = (text: string, keyId: string): boolean =>
  text.startsWith(`${PREFIX}:${keyId}:`);

interface Key {
  id: string;
  cipher: Buffer;
  mac: Buffer;
}

function deriveKey(key: Buffer): Key {
  if (key.length !== 32) throw new Error("An encryption key has 32 bytes.");
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", key, "", `mainstay ${purpose}`, 32));
  return {
    id: createHash("sha256").update(derive("name")).digest("hex").slice(0, 8),
    cipher: derive("encryption"),
    mac: derive("mac"),
  };
}

/** Writes with the first key and reads with every one. */
export const createEncryption = (key: Buffer, ...previous: readonly Buffer[]): Encryption =>
  createKeyring(() => [key, ...previous]);

/** `read` is asked again when a secret was written with a key that is not known: another server may have a new one. */
function createKeyring(read: () => readonly Buffer[]): Encryption & { reload(): void } {
  let keys = read().map(deriveKey);
  const current = () => keys[0]!;
  const find = (id: string | undefined) => keys.find((one) => one.id === id);
  const reload = () => {
    keys = read().map(deriveKey);
  };
  const macWith = (key: Key, text: string, place: string) =>
    createHmac("sha256", key.mac).update(`${place.length} ${place} ${text}`).digest("base64url");
  return {
    reload,
    get keyId() {
      return current().id;
    },
    get knownKeys() {
      return keys.map(({ id }) => id);
    },
    encrypt(text, place) {
      const { id, cipher: cipherKey } = current();
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, iv).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([
        iv,
        cipher.update(text, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${PREFIX}:${id}:${sealed.toString("base64url")}`;
    },
    decrypt(encrypted, place) {
      const [prefix, writtenWith, sealed = ""] = encrypted.split(":");
      if (prefix !== PREFIX) throw new Error("The stored secret is of an unknown form.");
      if (!find(writtenWith)) reload();
      const key = find(writtenWith);
      if (!key) {
        throw new Error(
          `The stored secret was encrypted with key ${writtenWith}, but this server has key ${keys.map(({ id }) => id).join(" and ")}. Give every server the same MAINSTAY_ENCRYPTION_KEY, and the keys from before as MAINSTAY_ENCRYPTION_KEYS_PREVIOUS.`,
        );
      }
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < 28) throw new Error("The stored secret is damaged.");
      const decipher = createDecipheriv("aes-256-gcm", key.cipher, bytes.subarray(0, 12))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    },
    mac: (text, place) => macWith(current(), text, place),
    macs: (text, place) => keys.map((key) => macWith(key, text, place)),
  };
}

export type EncryptionConfig = Pick<Config, "dataDir" | "encryptionKey"> &
  Partial<Pick<Config, "encryptionKeysPrevious">>;

const opened = new Map<string, ReturnType<typeof createKeyring>>();

/** With the keys that were given, else with those in the data directory, where one is made when there is none. */
export const openEncryption = (config: EncryptionConfig): Encryption => openKeyring(config);

function openKeyring(config: EncryptionConfig): ReturnType<typeof createKeyring> {
  const { dataDir, encryptionKey, encryptionKeysPrevious = [] } = config;
  const which = JSON.stringify([encryptionKey ?? { dataDir }, encryptionKeysPrevious]);
  let keyring = opened.get(which);
  if (!keyring) {
    const given = encryptionKeysPrevious.map((key) => Buffer.from(key, "base64"));
    keyring = createKeyring(() =>
      encryptionKey === undefined
        ? [...readKeyFiles(dataDir), ...given]
        : [Buffer.from(encryptionKey, "base64"), ...given],
    );
    testKeyring(keyring);
    opened.set(which, keyring);
  }
  return keyring;
}

/** Refuses to go on with an encryption that does not read what it writes. */
export function testKeyring(keyring: Pick<Encryption, "encrypt" | "decrypt">): void {
  const text = randomBytes(16).toString("hex");
  const refusal = "Secrets cannot be encrypted on this machine: the self-test failed.";
  let sealed: string;
  let isRead: boolean;
  try {
    sealed = keyring.encrypt(text, "self-test");
    isRead = keyring.decrypt(sealed, "self-test") === text;
  } catch (error) {
    throw new StartupError(refusal, { cause: error });
  }
  let isBound = false;
  try {
    keyring.decrypt(sealed, "elsewhere");
  } catch {
    isBound = true;
  }
  if (!isRead || !isBound || sealed.includes(text)) throw new StartupError(refusal);
}

/**
 * Makes a new key in the data directory, with which this server writes from now on; the one before is kept to read with.
 * @throws StartupError where the key does not come from there
 */
export function makeNewKey(config: EncryptionConfig): string {
  const { dataDir, encryptionKey } = config;
  if (encryptionKey !== undefined)
    throw new StartupError(
      "The key of this server comes from MAINSTAY_ENCRYPTION_KEY: set a new one there, the one before as MAINSTAY_ENCRYPTION_KEYS_PREVIOUS, and start the servers again.",
    );
  const keyring = openKeyring(config);
  const { current, previous } = keyFiles(dataDir);
  // First the old one to where it is read from, so that no moment is without it.
  const lines = readKeyFiles(dataDir).map((key) => key.toString("base64"));
  replaceFile(previous, lines);
  replaceFile(current, [randomBytes(32).toString("base64")]);
  keyring.reload();
  return keyring.keyId;
}

const keyFiles = (dataDir: string) => ({
  current: join(dataDir, "encryption.key"),
  previous: join(dataDir, "encryption.previous.key"),
});

function replaceFile(path: string, lines: readonly string[]): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  writeNewFile(temporary, lines);
  renameSync(temporary, path);
  keepName(path);
}

/** What is encrypted with a key may not outlast the name under which that is found, whatever happens to the machine. */
function keepName(path: string): void {
  const folder = openSync(dirname(path), "r");
  fsyncSync(folder);
  closeSync(folder);
}

function writeNewFile(path: string, lines: readonly string[]): void {
  const file = openSync(path, "wx", 0o600);
  fchmodSync(file, 0o600);
  writeSync(file, lines.map((line) => `${line}\n`).join(""));
  fsyncSync(file);
  closeSync(file);
}

/** The key that is written with first. */
function readKeyFiles(dataDir: string): Buffer[] {
  const { current, previous } = keyFiles(dataDir);
  const first = readKeyFile(current, dataDir);
  return [first, ...(readPrivate(previous)?.map((line) => parseKey(line, previous)) ?? [])].filter(
    (key, index, all) => all.findIndex((one) => one.equals(key)) === index,
  );
}

/** The lines of a file that nobody else may read; undefined when there is none. */
function readPrivate(path: string): string[] | undefined {
  let text: string;
  try {
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0)
      throw new StartupError(
        `${path} can be read by others (mode ${(mode & 0o777).toString(8)}): it holds the key to all stored secrets. Run chmod 600 ${path}; if others may have read it, change the key (mainstay rotate-key --new).`,
      );
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
  return text.split("\n").filter((line) => line.trim() !== "");
}

function readKeyFile(path: string, directory: string): Buffer {
  const known = readPrivate(path);
  if (known) return parseKey(known.join("\n"), path);
  // Not by the process: in containers every server has the same number.
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeNewFile(temporary, [randomBytes(32).toString("base64")]);
    try {
      // Fails when another server of this directory was first; its key is then the key.
      linkSync(temporary, path);
      keepName(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      unlinkSync(temporary);
    }
  } catch (error) {
    throw new StartupError(
      `The key that encrypts stored secrets cannot be written to ${path}: ${(error as Error).message}. Set MAINSTAY_ENCRYPTION_KEY, or make the directory writable.`,
    );
  }
  return parseKey(readFileSync(path, "utf8"), path);
}

function parseKey(text: string, path: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length === 32) return key;
  throw new StartupError(
    `${path} is not an encryption key (32 bytes in base64). Restore it from a backup.`,
  );
}
