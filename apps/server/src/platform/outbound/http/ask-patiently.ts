import { createHash } from "node:crypto";
import { formatDuration } from "@mainstay/contract";
import { LRUCache } from "lru-cache";
import { pause } from "../aws/pause.ts";
import type { Connector } from "../connector.ts";
import { ApiRefusal, askJson, type AskOptions, type JsonAnswer } from "./ask-json.ts";
import type { HttpRequest } from "./exchange.ts";

/**
 * How long is waited where an API asks for it, over all requests of one undertaking; what it would take longer is given
 * up. What was waited for is told once at the end.
 */
export class Patience {
  /** Milliseconds that may still be waited. */
  leftMs: number;
  waitedMs = 0;

  constructor(leftMs = 300_000) {
    this.leftMs = leftMs;
  }

  /** Waits, where there is time for it. Whether it did. */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    if (ms > this.leftMs) return false;
    this.leftMs -= ms;
    this.waitedMs += ms;
    await pause(ms, signal);
    return true;
  }

  /** What people should know of it; nothing of what nobody notices. */
  notice(what: string): string | undefined {
    if (this.waitedMs < 1000) return undefined;
    const waited = formatDuration(Math.round(this.waitedMs / 1000) * 1000);
    return `${what} was asked for more than it takes; it was waited for ${waited}.`;
  }
}

/** Tries of one request. An API that is busy is asked oftener than one that is broken. */
const most = { busy: 6, broken: 3 };
const firstPauseMs = 250;
/** Who asks for a pause and does not say for how long. Source: GitHub's documentation of its secondary limits. */
const unsaidPauseMs = 60_000;

export interface PatientOptions extends AskOptions {
  patience: Patience;
  /** What was answered before is asked for by its mark (`ETag`), and not sent again when it is the same. */
  isKept?: boolean;
}

/** Asks an API for JSON, as often as it takes while it says that it is busy or out for a moment. */
export async function askPatiently(
  request: HttpRequest,
  options: PatientOptions,
): Promise<JsonAnswer> {
  const { patience, signal } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await (options.isKept ? askMarked(request, options) : askJson(request, options));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiRefusal)) throw error;
      const { isBusy, code } = error;
      const isBroken = code === 408 || code >= 500;
      if (!(isBusy || isBroken) || tried >= (isBusy ? most.busy : most.broken)) throw error;
      const unsaidMs = code === 403 ? unsaidPauseMs : firstPauseMs * 4 ** (tried - 1);
      if (!(await patience.wait(error.waitMs ?? unsaidMs, signal))) throw error;
    }
  }
}

interface Marked {
  etag: string;
  text: string;
  headers: Record<string, string>;
}

/** Characters of answers that are kept. */
const mostKept = 32 * 1024 * 1024;
/** By the way out, as tokens are. */
const known = new WeakMap<Connector, LRUCache<string, Marked>>();

function keptBy(connector: Connector): LRUCache<string, Marked> {
  let kept = known.get(connector);
  if (!kept) {
    kept = new LRUCache<string, Marked>({
      maxSize: mostKept,
      sizeCalculation: ({ text }) => text.length + 1,
    });
    known.set(connector, kept);
  }
  return kept;
}

/** Who asks is part of what is asked; no secret is kept for it. */
const keyOf = ({ url, auth }: HttpRequest) =>
  createHash("sha256")
    .update(JSON.stringify([url.href, auth]))
    .digest("base64");

async function askMarked(request: HttpRequest, options: AskOptions): Promise<JsonAnswer> {
  const kept = keptBy(options.connector);
  const key = keyOf(request);
  const before = kept.get(key);
  try {
    const answer = await askJson(
      before
        ? { ...request, headers: { ...request.headers, "if-none-match": before.etag } }
        : request,
      options,
    );
    const { etag } = answer.headers;
    if (etag) {
      const { json, headers } = answer;
      kept.set(key, { etag, text: JSON.stringify(json), headers });
    }
    return answer;
  } catch (error) {
    if (!before || !(error instanceof ApiRefusal) || error.code !== 304) throw error;
    const { text, headers } = before;
    return { json: JSON.parse(text) as unknown, headers, elapsedMs: 0 };
  }
}
