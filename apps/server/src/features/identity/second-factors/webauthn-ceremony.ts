import { randomBytes } from "node:crypto";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { FastifyRequest } from "fastify";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import type { Config } from "#platform/config.ts";
import { baseUrl, ownOrigins } from "../sessions/request-origin.ts";

/**
 * WebAuthn, between a flow and a browser: options to put into the page, and what the authenticator made of them.
 * An authenticator signs for one host name (the relying party) and tells the page's origin; both must be ours.
 */

/** Some 27 MB of code for formats that most sign-ins never need. */
const library = () => import("@simplewebauthn/server");

export interface RelyingParty {
  id: string;
  origins: string[];
}

/**
 * Whom an authenticator signs for at this address; undefined where browsers have no WebAuthn: an address of numbers,
 * or neither https nor this machine.
 */
export function relyingParty(
  request: FastifyRequest,
  config: Pick<Config, "publicUrl">,
): RelyingParty | undefined {
  const { hostname: id } = new URL(baseUrl(request, config));
  if (ipaddr.isValid(id.replace(/^\[(.*)\]$/, "$1"))) return undefined;
  const isLocal = id === "localhost" || id.endsWith(".localhost");
  const origins = ownOrigins(request, config).filter((origin) => {
    const { protocol, hostname } = new URL(origin);
    return hostname === id && (protocol === "https:" || isLocal);
  });
  return origins.length > 0 ? { id, origins } : undefined;
}

export const makeChallenge = (): string => randomBytes(32).toString("base64url");

/** The name of an account inside authenticators: its id, which says nothing about the person. */
export const userHandle = (identityId: string): string =>
  Buffer.from(identityId.replaceAll("-", ""), "hex").toString("base64url");

const TIMEOUT_MS = 5 * 60 * 1000;
/** EdDSA, ES256, RS256: every authenticator has one of them. */
const algorithms = [-8, -7, -257];

interface KnownKey {
  credential_id: string;
  transports: string[];
}

const describe = ({ credential_id: id, transports }: KnownKey) => ({
  id,
  type: "public-key" as const,
  ...(transports.length > 0 ? { transports } : {}),
});

export function creationOptions(parts: {
  rp: RelyingParty;
  challenge: string;
  user: { id: string; email: string; name: string };
  /** Keys that the person has already: one device does not count twice. */
  known: readonly KnownKey[];
  isPasskey: boolean;
}): PublicKeyCredentialCreationOptionsJSON {
  const { rp, challenge, user, known, isPasskey } = parts;
  return {
    rp: { id: rp.id, name: "Mainstay" },
    user: { id: userHandle(user.id), name: user.email, displayName: user.name },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT_MS,
    excludeCredentials: known.map(describe),
    // A passkey is all that is asked for, so it asks for a finger or a PIN itself and is found without an address.
    authenticatorSelection: isPasskey
      ? { residentKey: "required", requireResidentKey: true, userVerification: "required" }
      : { residentKey: "discouraged", requireResidentKey: false, userVerification: "discouraged" },
    attestation: "none",
    extensions: { credProps: true },
  };
}

/** Without known keys: any passkey that the authenticator has for this host. */
export function requestOptions(parts: {
  rp: RelyingParty;
  challenge: string;
  known?: readonly KnownKey[];
  isPasskey: boolean;
}): PublicKeyCredentialRequestOptionsJSON {
  const { rp, challenge, known, isPasskey } = parts;
  return {
    challenge,
    timeout: TIMEOUT_MS,
    rpId: rp.id,
    ...(known ? { allowCredentials: known.map(describe) } : {}),
    userVerification: isPasskey ? "required" : "discouraged",
  };
}

const base64url = z.base64url().min(1).max(16_384);
const transports = z.array(z.string().regex(/^[a-z-]{1,32}$/)).max(8);

const creation = z.object({
  id: base64url.max(1400),
  rawId: base64url.max(1400),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: transports.optional(),
  }),
});

const assertion = z.object({
  id: base64url.max(1400),
  rawId: base64url.max(1400),
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.base64url().max(128).nullish(),
  }),
});

/** As the browser's script puts it into a hidden field: JSON text, or the same with padding. */
function parse<T>(schema: z.ZodType<T>, text: unknown): T | undefined {
  if (typeof text !== "string" || text.length > 32_768) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = schema.safeParse(value);
  return read.success ? read.data : undefined;
}

export interface NewKey {
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
  backed_up: boolean;
}

/** A new key, or why it is none: for the log, not for the person. */
export type CreationOutcome = { key: NewKey } | { fault: string };

export async function verifyCreation(parts: {
  text: unknown;
  challenge: string;
  rp: RelyingParty;
  isPasskey: boolean;
}): Promise<CreationOutcome> {
  const { text, challenge, rp, isPasskey } = parts;
  const response = parse(creation, text);
  if (!response) return { fault: "not the answer of an authenticator" };
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {} } satisfies RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: rp.origins,
      expectedRPID: rp.id,
      requireUserVerification: isPasskey,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return { fault: "the attestation is not valid" };
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      key: {
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: credential.transports ?? [],
        backed_up: credentialBackedUp,
      },
    };
  } catch (error) {
    // The library throws for everything that is wrong with what was sent.
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** What an authenticator signed: which key it says it is, and of whom. Believe nothing before `verifyAssertion`. */
export interface Assertion {
  credentialId: string;
  userHandle: string | undefined;
  response: AuthenticationResponseJSON;
}

export function readAssertion(text: unknown): Assertion | undefined {
  const read = parse(assertion, text);
  if (!read) return undefined;
  const handle = read.response.userHandle || undefined;
  const response = { ...read.response, userHandle: handle };
  return {
    credentialId: read.id,
    userHandle: handle,
    response: { ...read, response, clientExtensionResults: {} },
  };
}

export interface StoredKey extends KnownKey {
  public_key: Buffer;
  counter: number;
}

/** The counter that the key has now, or why the signature does not count: for the log, not for the person. */
export async function verifyAssertion(parts: {
  assertion: Assertion;
  key: StoredKey;
  challenge: string;
  rp: RelyingParty;
  isPasskey: boolean;
}): Promise<{ counter: number } | { fault: string }> {
  const { key, challenge, rp, isPasskey } = parts;
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: parts.assertion.response,
      expectedChallenge: challenge,
      expectedOrigin: rp.origins,
      expectedRPID: rp.id,
      credential: {
        id: key.credential_id,
        publicKey: new Uint8Array(key.public_key),
        counter: key.counter,
      },
      requireUserVerification: isPasskey,
    });
    if (!verified) return { fault: "the signature is not the key's" };
    return { counter: authenticationInfo.newCounter };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
