import { createHash, createSign } from "node:crypto";
import { exchange, type ExchangeOptions } from "../http/exchange.ts";
import { placeOf } from "../http/address.ts";
import { keptToken, type Token } from "../http/kept-token.ts";

/** Access to Google's APIs with the JSON of a key: a service account's, or what a person's login left. */

interface Key {
  type?: unknown;
  client_email?: unknown;
  private_key?: unknown;
  private_key_id?: unknown;
  token_uri?: unknown;
  client_id?: unknown;
  client_secret?: unknown;
  refresh_token?: unknown;
  project_id?: unknown;
}

const defaultTokenUri = "https://oauth2.googleapis.com/token";
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Reads the JSON of a key; what is wrong with it is said without what it holds. */
export function readGoogleKey(json: string): Key {
  try {
    const key: unknown = JSON.parse(json);
    if (typeof key === "object" && key !== null && !Array.isArray(key)) return key;
  } catch {
    // Said below: a message of the parser would repeat a piece of the key.
  }
  throw new Error("the credentials are not the JSON of a Google key");
}

function assertion(key: Key, scope: string, audience: string, now: Date): string {
  const email = text(key.client_email);
  const pem = text(key.private_key);
  if (!email || !pem)
    throw new Error(
      "the Google key has no client_email or no private_key: take a service account's",
    );
  const issued = Math.floor(now.getTime() / 1000);
  const head = {
    alg: "RS256",
    typ: "JWT",
    ...(text(key.private_key_id) && { kid: key.private_key_id }),
  };
  const body = `${part(head)}.${part({ iss: email, scope, aud: audience, iat: issued, exp: issued + 3600 })}`;
  try {
    return `${body}.${createSign("RSA-SHA256").update(body).sign(pem).toString("base64url")}`;
  } catch (error) {
    throw new Error("the private_key of the Google key cannot be read", { cause: error });
  }
}

const scope = "https://www.googleapis.com/auth/cloud-platform";

type GoogleTokenOptions = ExchangeOptions & {
  skipTLSVerify?: boolean | undefined;
  /** The one that was refused just now. */
  refused?: string | undefined;
};

/** Tokens last an hour unless it is said; one counts as good until so long before its end. */
const unsaidSeconds = 3600;
const mostSeconds = 86_400;
const restSeconds = 60;

/**
 * A token for requests to Google's APIs: one that is kept until shortly before its end, or a new one, which is fetched
 * once for all who wait. @throws a sentence fit for a result
 */
export const googleToken = (credentials: string, options: GoogleTokenOptions): Promise<string> =>
  keptToken({
    connector: options.connector,
    signal: options.signal,
    key: createHash("sha256")
      .update(JSON.stringify(["google", credentials, options.skipTLSVerify === true]))
      .digest("base64"),
    refused: options.refused,
    fetchToken: (signal) => fetchToken(credentials, { ...options, signal }),
  });

async function fetchToken(credentials: string, options: GoogleTokenOptions): Promise<Token> {
  const key = readGoogleKey(credentials);
  const uri = text(key.token_uri) ?? defaultTokenUri;
  if (!URL.canParse(uri)) throw new Error("the token_uri of the Google key is no address");
  const url = new URL(uri);
  const form: Record<string, string> =
    key.type === "authorized_user"
      ? {
          grant_type: "refresh_token",
          client_id: text(key.client_id) ?? "",
          client_secret: text(key.client_secret) ?? "",
          refresh_token: text(key.refresh_token) ?? "",
        }
      : {
          grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
          assertion: assertion(key, scope, uri, new Date()),
        };
  const { code, body } = await exchange(
    {
      url,
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      body: new URLSearchParams(form).toString(),
      maxRedirects: 0,
      mostBody: 65_536,
      ...(options.skipTLSVerify && { tls: { insecureSkipVerify: true } }),
    },
    options,
  );
  const answer = readJson(body);
  const token = text(answer?.access_token);
  if (code === 200 && token) {
    const said = answer?.expires_in === undefined ? unsaidSeconds : Number(answer.expires_in);
    const lasting = said > 0 ? Math.min(said, mostSeconds) : 0;
    const goodMs = (lasting - Math.min(restSeconds, lasting / 10)) * 1000;
    return { text: token, goodUntil: performance.now() + goodMs };
  }
  const why = text(answer?.error)?.slice(0, 100) ?? String(code);
  throw new Error(`${placeOf(url)} gave no token for the Google key (${why})`);
}

export function readJson(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
