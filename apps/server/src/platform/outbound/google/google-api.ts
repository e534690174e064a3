import { exchange, type Exchange, type ExchangeOptions } from "../http/exchange.ts";
import { placeOf } from "../http/address.ts";
import { googleToken, readJson } from "./google-token.ts";

export interface GoogleAccess {
  /** JSON of a key; without it only public data is read. */
  credentials?: string | undefined;
  skipTLSVerify?: boolean | undefined;
}

const mostJson = 8 * 1024 * 1024;
/** Bytes that are read at least: what a refusal says takes some room. */
const leastRoom = 65_536;

/** What a service refused; the message is fit for a result. */
export class GoogleRefusal extends Error {}

/** A request that somebody who signs in makes; the token is fetched once. */
function asker(access: GoogleAccess, options: ExchangeOptions) {
  let token: Promise<string> | undefined;
  return async (url: URL, { accept, most }: { accept: string; most: number }) => {
    if (access.credentials) token ??= googleToken(access.credentials, { ...options, ...access });
    const bearer = await token;
    return exchange(
      {
        url,
        headers: { accept },
        ...(bearer && { auth: { kind: "bearer", token: bearer } }),
        maxRedirects: 0,
        mostBody: most,
        ...(access.skipTLSVerify && { tls: { insecureSkipVerify: true } }),
      },
      options,
    );
  };
}

function refusalOf(url: URL, what: string, { code, body, isCut }: Exchange): GoogleRefusal {
  const place = placeOf(url);
  const error = (isCut ? undefined : readJson(body))?.error;
  const told =
    typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
  const why = typeof told === "string" ? `: ${told.slice(0, 300)}` : "";
  if (code === 401 || code === 403)
    return new GoogleRefusal(`${place} did not let the credentials ${what} (${code})${why}`);
  if (code === 404) return new GoogleRefusal(`${place} knows nothing to ${what} (404)${why}`);
  if (code === 429) return new GoogleRefusal(`${place} asks to slow down (429)${why}`);
  if (code === 200) return new GoogleRefusal(`${place} does not answer with JSON`);
  return new GoogleRefusal(`${place} would not ${what}: it answered ${code}${why}`);
}

/** Asks APIs of Google's for JSON. @throws GoogleRefusal */
export function googleApi(
  access: GoogleAccess,
  options: ExchangeOptions,
): (url: URL, what: string) => Promise<Record<string, unknown>> {
  const ask = asker(access, options);
  return async (url, what) => {
    const found = await ask(url, { accept: "application/json", most: mostJson });
    const answer = found.isCut ? undefined : readJson(found.body);
    if (found.code === 200 && answer) return answer;
    throw refusalOf(url, what, found);
  };
}

/** Bytes as they are; nothing when there are more than `most`. @throws GoogleRefusal */
export async function googleBytes(
  access: GoogleAccess,
  { url, what, most }: { url: URL; what: string; most: number },
  options: ExchangeOptions,
): Promise<Buffer | undefined> {
  const room = Math.max(most, leastRoom);
  const found = await asker(access, options)(url, { accept: "*/*", most: room });
  if (found.code === 200) return found.isCut || found.body.length > most ? undefined : found.body;
  throw refusalOf(url, what, found);
}
