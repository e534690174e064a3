import { exchange, type ExchangeOptions } from "../http/exchange.ts";
import { placeOf } from "../http/address.ts";
import { googleToken, readJson } from "./google-token.ts";

export interface GoogleAccess {
  /** JSON of a key; without it only public data is read. */
  credentials?: string | undefined;
  skipTLSVerify?: boolean | undefined;
}

/** What a service refused; the message is fit for a result. */
export class GoogleRefusal extends Error {}

/** Asks APIs of Google's for JSON; the token is fetched once. */
export function googleApi(
  access: GoogleAccess,
  options: ExchangeOptions,
): (url: URL, what: string) => Promise<Record<string, unknown>> {
  let token: Promise<string> | undefined;
  return async (url, what) => {
    if (access.credentials) token ??= googleToken(access.credentials, { ...options, ...access });
    const bearer = await token;
    const { code, body, isCut } = await exchange(
      {
        url,
        headers: { accept: "application/json" },
        ...(bearer && { auth: { kind: "bearer", token: bearer } }),
        maxRedirects: 0,
        mostBody: 8 * 1024 * 1024,
        ...(access.skipTLSVerify && { tls: { insecureSkipVerify: true } }),
      },
      options,
    );
    const place = placeOf(url);
    const answer = isCut ? undefined : readJson(body);
    if (code === 200 && answer) return answer;
    const error = answer?.error;
    const told =
      typeof error === "object" && error !== null
        ? (error as { message?: unknown }).message
        : error;
    const why = typeof told === "string" ? `: ${told.slice(0, 300)}` : "";
    if (code === 401 || code === 403)
      throw new GoogleRefusal(`${place} did not let the credentials ${what} (${code})${why}`);
    if (code === 404) throw new GoogleRefusal(`${place} knows nothing to ${what} (404)${why}`);
    if (code === 429) throw new GoogleRefusal(`${place} asks to slow down (429)${why}`);
    if (code === 200) throw new GoogleRefusal(`${place} does not answer with JSON`);
    throw new GoogleRefusal(`${place} would not ${what}: it answered ${code}${why}`);
  };
}
