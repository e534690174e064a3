import { ApiError, serverMessage } from "./api-error.ts";
import { hosted } from "./hosted.ts";
import { paths } from "./paths.ts";
import { noteAnswer, noteNoAnswer } from "./reachable.ts";
import { noteServerTime } from "./server-clock.ts";

/** The one client of the server: every request of the console goes through `request`. */

export interface RequestOptions {
  method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, in place of a body. */
  yaml?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** What a 401 means: leave for the sign-in (the rule), or an answer like others (for calls that ask who is there). */
  onSignedOut?: "leave" | "reject";
  /** Reads an answer in place of its text: a good one as the reply's data, a refusal as its text. */
  read?: (response: Response) => Promise<unknown>;
}

export interface Reply {
  status: number;
  headers: Headers;
  data: unknown;
}

const defaultTimeoutMs = 60_000;

/** Texts of document 3, section 8. */
const noAnswer = {
  timeout: "Request timed out. Please try again.",
  network: "Network Error. Please try again.",
  offline: "No internet connection. Please try again.",
};

let leavesWhenSignedOut = true;
let isLeaving = false;

/** In checker-only mode there is no sign-in to go to. */
export function disableSignIn(): void {
  leavesWhenSignedOut = false;
}

function leaveForSignIn(): void {
  if (isLeaving) return;
  isLeaving = true;
  window.location.assign(
    paths.authStateChecker(`${window.location.pathname}${window.location.search}`),
  );
}

function parse(text: string, contentType: string): unknown {
  if (text === "") return undefined;
  if (!contentType.includes("json")) return text;
  return JSON.parse(text) as unknown;
}

/** Asks the server. Rejects with an `ApiError` on every failure but an abort, which rejects as the browser does. */
export async function request(path: string, options: RequestOptions = {}): Promise<Reply> {
  const {
    method = "GET",
    body,
    yaml,
    signal,
    timeoutMs = defaultTimeoutMs,
    onSignedOut = "leave",
    read = (answered: Response) => answered.text(),
  } = options;
  const name = `${method} ${path.replace(/\?.*/, "")}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  const access = hosted();
  const send = (token: string | undefined) =>
    fetch(access?.addressOf(path) ?? path, {
      method,
      // What comes with a token comes without cookies.
      credentials: access ? "omit" : "same-origin",
      headers: {
        Accept: "application/json",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(yaml === undefined ? {} : { "Content-Type": "application/yaml" }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...options.headers,
      },
      body: yaml ?? (body === undefined ? null : JSON.stringify(body)),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  let response: Response;
  let answer: unknown;
  try {
    const token = access && (await access.token());
    response = await send(token);
    // Ended early, or the clocks differ: once more with a new one.
    const renewed =
      response.status === 401 && token !== undefined ? await access?.renew(token) : undefined;
    if (renewed !== undefined) response = await send(renewed);
    noteServerTime(response.headers.get("date"), Date.now());
    answer = await read(response);
    noteAnswer();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (!timeout.aborted) noteNoAnswer();
    const why = noAnswer[timeout.aborted ? "timeout" : navigator.onLine ? "network" : "offline"];
    throw new ApiError(why, { status: 0, request: name, cause });
  }

  let data: unknown;
  try {
    // What is no JSON stays what was read, and a file of it is a file.
    data =
      typeof answer === "string"
        ? parse(answer, response.headers.get("content-type") ?? "")
        : answer;
  } catch (cause) {
    const message = response.ok
      ? `The server's answer to ${name} is not valid JSON.`
      : `${name} failed with status ${response.status}.`;
    throw new ApiError(message, { status: response.status, request: name, cause });
  }
  if (response.status === 401 && onSignedOut === "leave" && leavesWhenSignedOut) leaveForSignIn();
  if (!response.ok && response.status !== 304) {
    throw new ApiError(serverMessage(data), { status: response.status, request: name, body: data });
  }
  return { status: response.status, headers: response.headers, data };
}

/** The body of a GET. Its shape is the contract's to promise. */
export async function get<T>(path: string, options?: RequestOptions): Promise<T> {
  const { data } = await request(path, options);
  return data as T;
}

export async function post<T>(path: string, body?: unknown, options?: RequestOptions): Promise<T> {
  const { data } = await request(path, { ...options, method: "POST", body });
  return data as T;
}
