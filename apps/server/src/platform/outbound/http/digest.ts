import { createHash, randomBytes } from "node:crypto";
import type { Challenge } from "./challenges.ts";

/** By the name in a challenge: the hash. The strongest first. */
const hashes: Readonly<Record<string, string>> = {
  "sha-512-256": "sha512-256",
  "sha-256": "sha256",
  md5: "md5",
};

interface Offer {
  /** Of Node. */
  hash: string;
  isSession: boolean;
  parameters: Record<string, string>;
}

function readOffer({ parameters }: Challenge): Offer | undefined {
  const name = (parameters.algorithm ?? "MD5").toLowerCase();
  const hash = hashes[name.replace(/-sess$/, "")];
  return hash === undefined ? undefined : { hash, isSession: name.endsWith("-sess"), parameters };
}

const strength = ({ hash }: Offer) => Object.values(hashes).indexOf(hash);
const quote = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

export interface DigestInput {
  username: string;
  password: string;
  method: string;
  /** The path with the query, as it is asked for. */
  uri: string;
  /** Made when absent. */
  cnonce?: string;
}

/**
 * The answer to the strongest offer of Digest (RFC 7616), for one request; undefined when none was made. Throws when
 * none can be taken.
 */
export function answerDigest(
  challenges: readonly Challenge[],
  { username, password, method, uri, cnonce = randomBytes(18).toString("base64") }: DigestInput,
): string | undefined {
  const offered = challenges.filter(({ scheme }) => scheme === "digest");
  if (offered.length === 0) return undefined;
  const [offer] = offered
    .map(readOffer)
    .filter((one) => one !== undefined)
    .toSorted((a, b) => strength(a) - strength(b));
  if (!offer) {
    const named = offered.map(({ parameters }) => parameters.algorithm ?? "MD5").join(", ");
    throw new Error(
      `Digest is offered with ${named.slice(0, 200)}; MD5, SHA-256 and SHA-512-256 are spoken here`,
    );
  }
  const { nonce = "", realm = "", opaque, algorithm, userhash } = offer.parameters;
  const offeredQop = offer.parameters.qop?.split(",").map((one) => one.trim().toLowerCase());
  if (offeredQop && !offeredQop.includes("auth")) {
    throw new Error("Digest is offered only for whole bodies (auth-int), which is not spoken here");
  }
  const hash = (text: string) => createHash(offer.hash).update(text).digest("hex");
  const login = hash(`${username}:${realm}:${password}`);
  const first = offer.isSession ? hash(`${login}:${nonce}:${cnonce}`) : login;
  const second = hash(`${method}:${uri}`);
  const count = "00000001";
  const response = offeredQop
    ? hash(`${first}:${nonce}:${count}:${cnonce}:auth:${second}`)
    : hash(`${first}:${nonce}:${second}`);
  const isHashed = userhash?.toLowerCase() === "true";
  const isPlain = /^[\x20-\x7e]*$/.test(username);
  const user = isHashed
    ? `username=${quote(hash(`${username}:${realm}`))}, userhash=true`
    : isPlain
      ? `username=${quote(username)}`
      : `username*=UTF-8''${encodeURIComponent(username)}`;
  return [
    `Digest ${user}`,
    `realm=${quote(realm)}`,
    `uri=${quote(uri)}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    `nonce=${quote(nonce)}`,
    ...(offeredQop ? [`nc=${count}`, `cnonce=${quote(cnonce)}`, "qop=auth"] : []),
    `response=${quote(response)}`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ].join(", ");
}

/** Whether an answer refuses only the nonce, which was good once. */
export const isStale = (challenges: readonly Challenge[]): boolean =>
  challenges.some(
    ({ scheme, parameters }) => scheme === "digest" && parameters.stale?.toLowerCase() === "true",
  );
