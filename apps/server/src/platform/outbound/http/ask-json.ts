import { createHider } from "../../sealing/hide-secrets.ts";
import { placeOf } from "./address.ts";
import { type Exchange, exchange, type ExchangeOptions, type HttpRequest } from "./exchange.ts";
import { asList, asObject, readJson } from "./read-json.ts";
import { isUsedUp, waitingMs, waitingTime } from "./waiting-time.ts";

/** What an API answered with a code of success. */
export interface JsonAnswer {
  json: unknown;
  headers: Record<string, string>;
  elapsedMs: number;
}

/** An API refused; the message says why, for people. */
export class ApiRefusal extends Error {
  override name = "ApiRefusal";
  readonly code: number;
  /** What it said itself. */
  readonly reason: string | undefined;
  /** It gets more than it takes for now. */
  readonly isBusy: boolean;
  /** Milliseconds that it asks to wait. */
  readonly waitMs: number | undefined;
  constructor(
    message: string,
    code: number,
    {
      reason,
      isBusy = false,
      waitMs,
    }: {
      reason?: string | undefined;
      isBusy?: boolean;
      waitMs?: number | undefined;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.isBusy = isBusy;
    this.waitMs = waitMs;
  }
}

const longestReason = 400;

/**
 * The reason in the usual forms of an error: `error`, `message`, `errors`, one inside another. What Microsoft's servers put
 * inside of an error (`innererror`) says more than what is around it, as what searches put there does (`root_cause`).
 */
function reasonIn(json: unknown, depth = 0): string | undefined {
  if (typeof json === "string") return json.trim() || undefined;
  if (depth > 5) return undefined;
  const { error, errors, innererror, message, reason, ...more } = asObject(json);
  const { error_description: described, detail, root_cause: causes } = more;
  for (const one of [
    described,
    innererror,
    asList(causes)[0],
    error,
    reason,
    message,
    detail,
    asList(errors)[0],
  ]) {
    const found = reasonIn(one, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim().slice(0, longestReason);

/** What Microsoft's servers write into a page in the place of an answer. */
const errorOfPage = /\b(?:TF|VS)\d{4,7}: [^<]+/;

function refusal(what: string, { url, auth }: HttpRequest, answer: Exchange, json: unknown): Error {
  const { code, headers, body } = answer;
  const isPage = /^\s*</.test(body.subarray(0, 200).toString("latin1"));
  const text = () => body.toString("utf8");
  const said =
    reasonIn(json) ??
    (json !== undefined ? "" : isPage ? (errorOfPage.exec(text())?.[0] ?? "") : text());
  const reason = oneLine(said) || undefined;
  const why = reason === undefined ? "" : `: ${reason}`;
  const wait = waitingTime(headers);
  // A limit that is about more than the number of requests stands in the text alone.
  const isLimit =
    isUsedUp(headers) || "retry-after" in headers || /rate limit|throttl/i.test(reason ?? "");
  const isBusy = code === 429 || code === 503 || (code === 403 && isLimit);
  const sentence = () => {
    if (code === 401 || code === 203)
      return `${what} ${auth ? "did not accept the credentials" : "wants credentials"} (${code})${why}`;
    if (code === 403 && !isBusy)
      return `${what} does not allow it with these credentials (403)${why}`;
    if (code === 404) return `${what} has nothing at ${url.pathname.slice(0, 200)} (404)${why}`;
    if (code === 429 || code === 403 || code === 503) {
      const asks = wait === undefined ? "" : ` and asks to wait ${wait}`;
      return `${what} ${code === 503 ? "is not available" : "gets too many requests"} (${code})${asks}${why}`;
    }
    if (code >= 300 && code < 400)
      return `${what} leads elsewhere (${code}), which is not followed`;
    return `${what} answered ${code}${why}`;
  };
  return new ApiRefusal(`${sentence()} [${placeOf(url)}]`, code, {
    reason,
    isBusy,
    waitMs: waitingMs(headers),
  });
}

export interface AskOptions extends ExchangeOptions {
  /** Whose API it is, for messages. */
  what: string;
}

/** Asks an API for JSON. Everything but that, with a code of success, is thrown with a message fit to be shown. */
export async function askJson(request: HttpRequest, options: AskOptions): Promise<JsonAnswer> {
  const { what } = options;
  const asked = { ...request, headers: { accept: "application/json", ...request.headers } };
  const answer = await exchange(asked, options);
  const whole = answer.body.toString("utf8");
  const text = createHider(answer.issued)?.message(whole) ?? whole;
  const { elapsedMs, headers } = answer;
  // Some put a page to sign in in the place of an answer (203).
  if (answer.code < 200 || answer.code > 299 || answer.code === 203)
    throw refusal(what, request, { ...answer, body: Buffer.from(text) }, readJson(text));
  if (answer.isCut)
    throw new Error(`the answer of ${what} is longer than ${answer.body.length} bytes`);
  const json = readJson(text);
  if (json === undefined)
    throw new Error(
      `the answer of ${what} is not JSON, or nests too deeply [${placeOf(request.url)}]`,
    );
  return { json, headers, elapsedMs };
}

/** An address below another one, whose own path and query stay. */
export function below(base: URL, path: string, query: Iterable<[string, string]> = []): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, "")}${path}`;
  for (const [name, value] of query) url.searchParams.append(name, value);
  return url;
}
