import { readFileSync } from "node:fs";
import {
  compactVerify,
  type CryptoKey,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JWK,
} from "jose";
import { parseExact } from "../body.ts";
import { ApiError } from "../errors.ts";
import { pathReader } from "./claim-path.ts";

export interface Identity {
  role: string;
  /** Nobody has said who asks. */
  isAnonymous: boolean;
  claims: Record<string, unknown>;
}

export interface Verifier {
  /** Who sends a request with this `Authorization` header. */
  identify(authorization: string | undefined): Promise<Identity>;
}

interface VerifierOptions {
  jwtSecret?: string;
  jwtSecretIsBase64: boolean;
  jwtAud?: string;
  jwtRoleClaimKey: string;
  dbAnonRole?: string;
}

interface Key {
  id?: string;
  algorithm?: string;
  value: CryptoKey | Uint8Array;
}

/** Clocks may differ by so much. */
const skewSeconds = 30;
/** Shorter secrets can be guessed; PostgREST refuses them too. */
const shortestSecret = 32;

/** Checks tokens and reads the role out of them. */
export async function createVerifier(options: VerifierOptions): Promise<Verifier> {
  const keys = options.jwtSecret === undefined ? undefined : await readKeys(options);
  const roleOf = pathReader(options.jwtRoleClaimKey);

  async function claimsOf(token: string): Promise<Record<string, unknown>> {
    if (!keys) throw new ApiError(500, "PGRST300", "Server lacks JWT secret");
    const claims = await verified(token, keys);
    checkTimes(claims);
    checkAudience(claims, options.jwtAud);
    return claims;
  }

  return {
    async identify(authorization) {
      const [, token] = /^bearer(?:\s+(.*))?$/i.exec(authorization?.trim() ?? "") ?? [
        undefined,
        undefined,
      ];
      const hasToken = /^bearer(\s|$)/i.test(authorization ?? "");
      const claims = hasToken ? await claimsOf(token ?? "") : {};
      const role = roleOf(claims) ?? options.dbAnonRole;
      if (role === undefined) {
        throw new ApiError(401, "PGRST302", "Anonymous access is disabled", {
          headers: { "www-authenticate": "Bearer" },
        });
      }
      return { role, isAnonymous: role === options.dbAnonRole, claims: { ...claims, role } };
    },
  };
}

function refused(code: "PGRST301" | "PGRST303", message: string, details?: string): ApiError {
  return new ApiError(401, code, message, {
    details,
    headers: {
      "www-authenticate": `Bearer error="invalid_token", error_description="${message}"`,
    },
  });
}

async function readKeys({
  jwtSecret = "",
  jwtSecretIsBase64,
}: VerifierOptions): Promise<readonly Key[]> {
  const text = jwtSecret.startsWith("@")
    ? readFileSync(jwtSecret.slice(1), "utf8").trim()
    : jwtSecret;
  if (text.trimStart().startsWith("{")) {
    const given = JSON.parse(text) as JWK & { keys?: JWK[] };
    return Promise.all(
      (given.keys ?? [given]).map(async (jwk) => ({
        id: jwk.kid,
        algorithm: jwk.alg,
        value: await importJWK(jwk, jwk.alg ?? defaultAlgorithm(jwk)),
      })),
    );
  }
  const value = jwtSecretIsBase64
    ? new Uint8Array(Buffer.from(text.replaceAll(".", "="), "base64"))
    : new TextEncoder().encode(text);
  if (value.length < shortestSecret)
    throw new Error(`The JWT secret must be at least ${shortestSecret} characters long.`);
  return [{ algorithm: "HS256", value }];
}

function defaultAlgorithm({ kty, crv }: JWK): string {
  if (kty === "EC") return crv === "P-384" ? "ES384" : crv === "P-521" ? "ES512" : "ES256";
  if (kty === "OKP") return "EdDSA";
  return kty === "RSA" ? "RS256" : "HS256";
}

async function verified(token: string, keys: readonly Key[]): Promise<Record<string, unknown>> {
  if (token === "") throw refused("PGRST301", "Empty JWT is sent in Authorization header");
  const parts = token.split(".").length;
  if (parts !== 3) throw refused("PGRST301", `Expected 3 parts in JWT; got ${parts}`);
  const id = headerOf(token).kid;
  const fitting = keys.filter((key) => id === undefined || key.id === undefined || key.id === id);
  for (const { value, algorithm } of fitting) {
    try {
      const algorithms = algorithm === undefined ? undefined : [algorithm];
      const { payload } = await compactVerify(token, value, { algorithms });
      const text = new TextDecoder().decode(payload);
      const claims = JSON.parse(text) as unknown;
      if (typeof claims === "object" && claims !== null && !Array.isArray(claims))
        return parseExact(text) as Record<string, unknown>;
      throw refused("PGRST303", "Parsing claims failed");
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (error instanceof SyntaxError) throw refused("PGRST303", "Parsing claims failed");
      const isOther = error instanceof errors.JOSEError || error instanceof TypeError;
      if (!isOther) throw error;
    }
  }
  throw refused(
    "PGRST301",
    "No suitable key or wrong key type",
    "None of the keys was able to decode the JWT",
  );
}

function headerOf(token: string): { kid?: string } {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw refused("PGRST301", "JWT cryptographic operation failed");
  }
}

function checkTimes(claims: Record<string, unknown>): void {
  const now = Date.now() / 1000;
  const read = (name: string): number | undefined => {
    const value = claims[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "number")
      throw refused("PGRST303", `The JWT '${name}' claim must be a number`);
    return value;
  };
  const [expires, begins, issued] = [read("exp"), read("nbf"), read("iat")];
  if (expires !== undefined && now > expires + skewSeconds)
    throw refused("PGRST303", "JWT expired");
  if (begins !== undefined && now < begins - skewSeconds)
    throw refused("PGRST303", "JWT not yet valid");
  if (issued !== undefined && now < issued - skewSeconds)
    throw refused("PGRST303", "JWT issued at future");
}

function checkAudience({ aud }: Record<string, unknown>, wanted: string | undefined): void {
  if (aud === undefined || aud === null) return;
  const given: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!given.every((one) => typeof one === "string"))
    throw refused("PGRST303", "The JWT 'aud' claim must be a string or an array of strings");
  if (wanted === undefined || given.length === 0) return;
  if (!given.includes(wanted)) throw refused("PGRST303", "JWT not in audience");
}
