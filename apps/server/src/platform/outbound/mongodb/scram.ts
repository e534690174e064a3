import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** The client's half of a SCRAM login (RFC 5802, RFC 7677) as MongoDB uses it. */

export type ScramMechanism = "SCRAM-SHA-1" | "SCRAM-SHA-256";
export const scramMechanisms: readonly ScramMechanism[] = ["SCRAM-SHA-256", "SCRAM-SHA-1"];

/** Rounds below are refused by the standard; above, a server could keep this machine busy. */
const fewestRounds = 4096;
const mostRounds = 500_000;

export interface ScramLogin {
  /** What is sent first. */
  first: string;
  /** What answers the server's first message. @throws when the server breaks the rules */
  answer(challenge: string): Promise<string>;
  /** Whether the server knows the password too. */
  isProven(final: string): boolean;
}

const derive = promisify(pbkdf2);
const algorithms = { "SCRAM-SHA-1": ["sha1", 20], "SCRAM-SHA-256": ["sha256", 32] } as const;

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
/** As far as it matters for passwords: other spaces are spaces, what is invisible is nothing (RFC 4013). */
const prepared = (text: string) =>
  text
    .replaceAll(/[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g, " ")
    .replaceAll(/\u00AD|\u200C|\u200D|\u2060|\uFEFF/g, "")
    .normalize("NFKC");

/** The older mechanism hashes the password before, as MongoDB did before SCRAM. */
const secretOf = (mechanism: ScramMechanism, username: string, password: string) =>
  mechanism === "SCRAM-SHA-1" ? md5(`${username}:mongo:${password}`) : prepared(password);

const fieldsOf = (text: string) =>
  new Map(text.split(",").map((part) => [part.slice(0, 1), part.slice(2)] as const));

export function scramLogin(
  mechanism: ScramMechanism,
  { username, password }: { username: string; password: string },
): ScramLogin {
  const [algorithm, length] = algorithms[mechanism];
  const hmac = (key: Uint8Array, text: string) => createHmac(algorithm, key).update(text).digest();
  const own = randomBytes(24).toString("base64");
  const name = username.replaceAll("=", "=3D").replaceAll(",", "=2C");
  const bare = `n=${name},r=${own}`;
  let expected: Buffer | undefined;
  return {
    first: `n,,${bare}`,
    async answer(challenge) {
      const fields = fieldsOf(challenge);
      const [nonce = "", salt = "", rounds = ""] = ["r", "s", "i"].map((key) => fields.get(key));
      if (!nonce.startsWith(own) || nonce.length <= own.length)
        throw new Error("it does not repeat the number it was sent");
      const count = Number(rounds);
      if (!/^\d+$/.test(rounds) || count < fewestRounds || count > mostRounds)
        throw new Error(`it asks for ${rounds.slice(0, 20)} rounds`);
      const salted = await derive(
        secretOf(mechanism, username, password),
        Buffer.from(salt, "base64"),
        count,
        length,
        algorithm,
      );
      const clientKey = hmac(salted, "Client Key");
      const storedKey = createHash(algorithm).update(clientKey).digest();
      const withoutProof = `c=biws,r=${nonce}`;
      const all = `${bare},${challenge},${withoutProof}`;
      const signature = hmac(storedKey, all);
      const proof = Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] as number)));
      expected = hmac(hmac(salted, "Server Key"), all);
      return `${withoutProof},p=${proof.toString("base64")}`;
    },
    isProven(final) {
      const said = Buffer.from(fieldsOf(final).get("v") ?? "", "base64");
      return (
        expected !== undefined && said.length === expected.length && timingSafeEqual(said, expected)
      );
    },
  };
}
