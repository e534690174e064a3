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

const nameOf = (path: string, { method = "GET" }: RequestOptions) =>
  `${method} ${path.split("?")[0] ?? path}`;

/** Sends a request and reads its answer; what keeps it from coming is an `ApiError` in words. */
async function exchange<Body>(
  path: string,
  options: RequestOptions,
  read: (response: Response) => Promise<Body>,
): Promise<{ response: Response; body: Body }> {
  const { method = "GET", body, yaml, signal, timeoutMs = defaultTimeoutMs } = options;
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
  try {
    const token = access && (await access.token());
    let response = await send(token);
    // Ended early, or the clocks differ: once more with a new one.
    const renewed =
      response.status === 401 && token !== undefined ? await access?.renew(token) : undefined;
    if (renewed !== undefined) response = await send(renewed);
    noteServerTime(response.headers.get("date"), Date.now());
    const answer = await read(response);
    noteAnswer();
    return { response, body: answer };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    if (!timeout.aborted) noteNoAnswer();
    const why = timeout.aborted
      ? noAnswer.timeout
      : navigator.onLine
        ? noAnswer.network
        : noAnswer.offline;
    throw new ApiError(why, { status: 0, request: nameOf(path, options), cause });
  }
}

/** What an answer's text holds; rejects where it is a refusal, or not what it says it is. */
function accept(response: Response, text: string, path: string, options: RequestOptions): unknown {
  const { onSignedOut = "leave" } = options;
  const { status } = response;
  const name = nameOf(path, options);
  let data: unknown;
  try {
    data = parse(text, response.headers.get("content-type") ?? "");
  } catch (cause) {
    const message = response.ok
      ? `The server's answer to ${name} is not valid JSON.`
      : `${name} failed with status ${status}.`;
    throw new ApiError(message, { status, request: name, cause });
  }
  if (status === 401 && onSignedOut === "leave" && leavesWhenSignedOut) leaveForSignIn();
  if (!response.ok && status !== 304)
    throw new ApiError(serverMessage(data), { status, request: name, body: data });
  return data;
}

/** Asks the server. Rejects with an `ApiError` on every failure but an abort, which rejects as the browser does. */
export async function request(path: string, options: RequestOptions = {}): Promise<Reply> {
  const { response, body: text } = await exchange(path, options, (answer) => answer.text());
  const data = accept(response, text, path, options);
  return { status: response.status, headers: response.headers, data };
}

export interface DownloadOptions extends Pick<RequestOptions, "signal" | "timeoutMs"> {
  /** Told how many bytes have come. */
  onProgress?: (bytes: number) => void;
}

/** Fetches a file, piece by piece. Rejects as `request` does, also when it is cut off in the middle. */
export async function download(path: string, options: DownloadOptions = {}): Promise<Blob> {
  const { response, body } = await exchange(path, options, async (answer) => {
    if (!answer.ok || !answer.body) return answer.text();
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = answer.body.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      pieces.push(read.value);
      bytes += read.value.length;
      options.onProgress?.(bytes);
    }
    return new Blob(pieces, { type: answer.headers.get("content-type") ?? "" });
  });
  if (body instanceof Blob) return body;
  accept(response, body, path, options);
  return new Blob([body]);
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
