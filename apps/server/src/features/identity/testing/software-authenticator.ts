import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/**
 * An authenticator in software, as the browser hands its answers over: attestation "none", ES256 or EdDSA. Everything
 * that a browser and an authenticator would be honest about can be told otherwise.
 */

export interface CreationOptions {
  rp: { id?: string };
  user: { id: string };
  challenge: string;
  excludeCredentials?: { id: string }[];
  authenticatorSelection?: { userVerification?: string };
}

export interface RequestOptions {
  rpId?: string;
  challenge: string;
  allowCredentials?: { id: string }[];
  userVerification?: string;
}

/** What a dishonest browser or authenticator says instead. */
export interface Lies {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  counter?: number;
  userHandle?: string;
  credentialId?: string;
  /** Flags of the authenticator data. */
  isPresent?: boolean;
  isVerified?: boolean;
  /** Signs with another key. */
  privateKey?: KeyObject;
}

export type SoftwareAuthenticator = ReturnType<typeof createAuthenticatorDevice>;

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();

/** One device with one key. `origin` is that of the page the browser shows. */
export function createAuthenticatorDevice(parts: {
  origin: string;
  algorithm?: "ES256" | "EdDSA";
}) {
  const { origin, algorithm = "ES256" } = parts;
  const { publicKey, privateKey } =
    algorithm === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("ed25519");
  const id = randomBytes(32);
  let counter = 0;
  let handle = "";

  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    );

  const authenticatorData = (rpId: string, lies: Lies, attested?: Buffer) => {
    const flags =
      (lies.isPresent === false ? 0 : 0x01) |
      (lies.isVerified === false ? 0 : 0x04) |
      (attested ? 0x40 : 0);
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(lies.counter ?? counter);
    return Buffer.concat([
      sha256(lies.rpId ?? rpId),
      Buffer.from([flags]),
      count,
      attested ?? Buffer.alloc(0),
    ]);
  };

  return {
    id: b64(id),
    privateKey,
    /** What `navigator.credentials.create` gives. */
    create(options: CreationOptions, lies: Lies = {}): string {
      handle = options.user.id;
      const credentialId = lies.credentialId ? Buffer.from(lies.credentialId, "base64url") : id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, coseKey(publicKey)]);
      const authData = authenticatorData(options.rp.id!, lies, attested);
      const attestationObject = cbor(
        new Map<string, unknown>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authData],
        ]),
      );
      return JSON.stringify({
        id: b64(credentialId),
        rawId: b64(credentialId),
        type: "public-key",
        response: {
          clientDataJSON: b64(clientData("webauthn.create", options.challenge, lies)),
          attestationObject: b64(attestationObject),
          transports: ["usb"],
        },
        clientExtensionResults: {},
      });
    },
    /** What `navigator.credentials.get` gives. */
    get(options: RequestOptions, lies: Lies = {}): string {
      const client = clientData("webauthn.get", options.challenge, lies);
      const data = authenticatorData(options.rpId!, lies);
      const signature = sign(
        algorithm === "ES256" ? "sha256" : null,
        Buffer.concat([data, sha256(client)]),
        lies.privateKey ?? privateKey,
      );
      const credentialId = lies.credentialId ?? b64(id);
      return JSON.stringify({
        id: credentialId,
        rawId: credentialId,
        type: "public-key",
        response: {
          clientDataJSON: b64(client),
          authenticatorData: b64(data),
          signature: b64(signature),
          userHandle: lies.userHandle ?? handle,
        },
        clientExtensionResults: {},
      });
    },
  };
}

function coseKey(publicKey: KeyObject): Buffer {
  const jwk = publicKey.export({ format: "jwk" });
  const x = Buffer.from(jwk.x!, "base64url");
  return cbor(
    jwk.kty === "EC"
      ? new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, x],
          [-3, Buffer.from(jwk.y!, "base64url")],
        ])
      : new Map<number, unknown>([
          [1, 1],
          [3, -8],
          [-1, 6],
          [-2, x],
        ]),
  );
}

/** As much of CBOR (RFC 8949) as an attestation has: small numbers, texts, bytes and maps. */
function cbor(value: unknown): Buffer {
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
    return Buffer.concat([head(5, value.size), ...entries]);
  }
  throw new Error(`no CBOR for ${typeof value}`);
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  const bytes = Buffer.from([(major << 5) | 25, 0, 0]);
  bytes.writeUInt16BE(length, 1);
  return bytes;
}
