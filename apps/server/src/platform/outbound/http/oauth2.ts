import { createHash } from "node:crypto";
import type { Connector } from "../connector.ts";
import { placeOf } from "./address.ts";
import { authorization, type OAuth2Auth } from "./authorization.ts";
import { keptToken, type Token } from "./kept-token.ts";
import { asObject, asText, readJson } from "./read-json.ts";
import { waitingTime } from "./waiting-time.ts";

/** A request to the token endpoint, as whoever sends it needs it. */
export interface TokenRequest {
  url: URL;
  method: "POST";
  headers: Record<string, string>;
  body: string;
  /** A token endpoint answers itself. */
  maxRedirects: 0;
  mostBody: number;
}
interface TokenAnswer {
  code: number;
  headers: Record<string, string>;
  body: Buffer;
}
export type SendToken = (request: TokenRequest, signal: AbortSignal) => Promise<TokenAnswer>;

/** Bytes of an answer of the token endpoint that are read. */
const mostBody = 262_144;
/** For how long a token counts as good of which nobody says so. */
const unsaidSeconds = 60;
const mostSeconds = 86_400;

/** No secret is kept for the sake of finding its token again. */
function keyOf(auth: OAuth2Auth, route: string): string {
  const { tokenUrl, clientId, clientSecret, scopes, params } = auth;
  const whole = [tokenUrl.href, clientId, clientSecret, scopes, Object.entries(params), route];
  return createHash("sha256").update(JSON.stringify(whole)).digest("base64");
}

function refusal(place: string, { code, headers, body }: TokenAnswer): Error {
  const { error, error_description: description } = asObject(readJson(body.toString("utf8")));
  const said = [asText(error), asText(description)].filter((one) => one !== undefined).join(": ");
  const why = said === "" ? "" : ` (${said.slice(0, 300)})`;
  if (code === 429 || code === 503) {
    const wait = waitingTime(headers);
    return new Error(
      `the token endpoint ${place} is busy: it answered ${code}${why}${wait ? ` and asks to wait ${wait}` : ""}`,
    );
  }
  return new Error(`the token endpoint ${place} gave no token: it answered ${code}${why}`);
}

function readToken(place: string, answer: TokenAnswer): Token {
  const said = asObject(readJson(answer.body.toString("utf8")));
  const text = asText(said.access_token);
  if (text === undefined || /[^\x21-\x7e]/.test(text))
    throw new Error(`the token endpoint ${place} answered ${answer.code} without an access token`);
  const type = asText(said.token_type);
  if (type !== undefined && type.toLowerCase() !== "bearer") {
    throw new Error(
      `the token endpoint ${place} gave a token of type ${type.slice(0, 40)}; bearer tokens are used here`,
    );
  }
  const seconds = said.expires_in === undefined ? unsaidSeconds : Number(said.expires_in);
  const lasting = seconds > 0 ? Math.min(seconds, mostSeconds) : 0;
  // Some of its time goes by on the way.
  const goodMs = lasting * 1000 - Math.min(10_000, lasting * 100);
  return { text, goodUntil: performance.now() + goodMs };
}

async function fetchToken(auth: OAuth2Auth, send: SendToken, signal: AbortSignal): Promise<Token> {
  const { tokenUrl, clientId, clientSecret, scopes, params } = auth;
  const place = placeOf(tokenUrl);
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  for (const [name, value] of Object.entries(params)) form.set(name, value);
  const ask = (headers: Record<string, string>, body: URLSearchParams) =>
    send(
      {
        url: tokenUrl,
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          ...headers,
        },
        body: body.toString(),
        maxRedirects: 0,
        mostBody,
      },
      signal,
    );
  const [username, password] = [clientId, clientSecret].map(formEncoded) as [string, string];
  let answer = await ask(
    { authorization: authorization({ kind: "basic", username, password }) },
    form,
  );
  // Endpoints differ in where they read the client: in the header, as all should, or in the body.
  if ([400, 401, 403].includes(answer.code)) {
    const whole = new URLSearchParams(form);
    whole.set("client_id", clientId);
    whole.set("client_secret", clientSecret);
    answer = await ask({}, whole);
  }
  if (answer.code < 200 || answer.code > 299) throw refusal(place, answer);
  return readToken(place, answer);
}

const formEncoded = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);

export interface TokenOptions {
  connector: Connector;
  signal: AbortSignal;
  send: SendToken;
  /** What else decides who answers: proxy, TLS. */
  route: string;
  /** The one that was refused just now. */
  refused?: string;
}

/** The token of a client: one that is kept, or a new one, which is fetched once for all who wait. */
export const accessToken = (
  auth: OAuth2Auth,
  { connector, signal, send, route, refused }: TokenOptions,
): Promise<string> =>
  keptToken({
    connector,
    signal,
    key: keyOf(auth, route),
    refused,
    fetchToken: (flight) => fetchToken(auth, send, flight),
  });
