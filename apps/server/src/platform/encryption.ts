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
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StartupError } from "@mainstay/embedded-postgres";
import type { Config } from "./config.ts";

/**
 * Secrets that must be read again (a second factor's seed, a provider's token) are kept encrypted: AES-256-GCM, bound
 * to where they belong, so that one row's secret cannot be moved to another.
 */
export interface Encryption {
  /** `place` says where the text is kept, for example `totp <identity id>`; it must be the same when it is read. */
  encrypt(text: string, place: string): string;
  /** Throws when it was changed, moved, or written with another key. */
  decrypt(encrypted: string, place: string): string;
  /** A hash that only holders of the key can make, for what is too short to be hashed plainly. */
  mac(text: string, place: string): string;
  /** Names the key without telling it. */
  readonly keyId: string;
}

const PREFIX = "m1";

export function createEncryption(key: Buffer): Encryption {
  if (key.length !== 32) throw new Error("An encryption key has 32 bytes.");
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync("sha256", key, "", `mainstay ${purpose}`, 32));
  const [cipherKey, macKey] = [derive("encryption"), derive("mac")];
  const keyId = createHash("sha256").update(derive("name")).digest("hex").slice(0, 8);
  return {
    keyId,
    encrypt(text, place) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, iv).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([
        iv,
        cipher.update(text, "utf8"),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${PREFIX}:${keyId}:${sealed.toString("base64url")}`;
    },
    decrypt(encrypted, place) {
      const [prefix, writtenWith, sealed = ""] = encrypted.split(":");
      if (prefix !== PREFIX) throw new Error("The stored secret is of an unknown form.");
      if (writtenWith !== keyId) {
        throw new Error(
          `The stored secret was encrypted with key ${writtenWith}, but this server has key ${keyId}. Give every server the same MAINSTAY_ENCRYPTION_KEY.`,
        );
      }
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < 28) throw new Error("The stored secret is damaged.");
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, bytes.subarray(0, 12))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    },
    mac: (text, place) =>
      createHmac("sha256", macKey).update(`${place.length} ${place} ${text}`).digest("base64url"),
  };
}

const opened = new Map<string, Encryption>();

/** With the key that was given, else with the one in the data directory, which is made when there is none. */
export function openEncryption(config: Pick<Config, "dataDir" | "encryptionKey">): Encryption {
  const { dataDir, encryptionKey } = config;
  const which = encryptionKey ?? `file ${dataDir}`;
  let encryption = opened.get(which);
  if (!encryption) {
    encryption = createEncryption(
      encryptionKey === undefined
        ? readKeyFile(join(dataDir, "encryption.key"), dataDir)
        : Buffer.from(encryptionKey, "base64"),
    );
    opened.set(which, encryption);
  }
  return encryption;
}

function readKeyFile(path: string, directory: string): Buffer {
  try {
    return parseKey(readFileSync(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // Not by the process: in containers every server has the same number.
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const file = openSync(temporary, "wx", 0o600);
    fchmodSync(file, 0o600);
    writeSync(file, `${randomBytes(32).toString("base64")}\n`);
    fsyncSync(file);
    closeSync(file);
    try {
      // Fails when another server of this directory was first; its key is then the key.
      linkSync(temporary, path);
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
