import { checkSpecs, type HttpSpec } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { attemptHttp } from "../attempt-http.ts";
import {
  checkType,
  type CheckOutcome,
  cutToJson,
  failed,
  inMs,
  passed,
  scriptDuration,
} from "../check-type.ts";
import { certificateExpiry } from "../expiry.ts";
import { asReadFromJson } from "../../scripts/values.ts";
import { crawledOutcome } from "./crawl-outcome.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { readableAddress } from "#platform/outbound/http/address.ts";
import { type Exchange, exchange } from "#platform/outbound/http/exchange.ts";
import { readJson } from "#platform/outbound/http/read-json.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { openTarget } from "./target.ts";
import { keptBegin, withPhases } from "./kept-answer.ts";
import { startPhases } from "#platform/outbound/http/phases.ts";

/** Of the body, what later scripts may see. */
const keptContent = 49_152;

/** Tokens that were fetched on the way are no secrets of the document, but an answer may repeat them. */
const hideIssued = <Found extends Record<string, unknown>>(found: Found, { issued }: Exchange) =>
  (createHider(issued)?.value(found) ?? found) as Found;

/** By the names that documents of the family use (`Content-Type`), and as they came. */
const headersForScripts = (headers: Exchange["headers"]) => ({
  ...Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replaceAll(/(^|-)[a-z]/g, (begin) => begin.toUpperCase()),
      value,
    ]),
  ),
  ...headers,
});

/** Scripts see the whole body, and lengths of time as such. */
function scriptData(answer: Exchange, content: string, json: unknown): Record<string, Value> {
  const ends = answer.certificateEnds?.getTime();
  const found = json as Value | undefined;
  const data = {
    code: answer.code,
    headers: headersForScripts(answer.headers) as Value,
    elapsed: scriptDuration(answer.elapsedMs),
    sslAge: scriptDuration(ends === undefined ? 0 : ends - Date.now()),
    content,
    json: found === undefined || found === null ? {} : found,
  };
  return { ...data, results: data };
}

export const http = checkType<HttpSpec>({
  type: "http",
  spec: checkSpecs.http,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? ""),
  async run(input) {
    const { spec, signal, connector } = input;
    const threshold = spec.thresholdMillis || undefined;
    const phases = startPhases();

    const outcome = await attemptHttp(input, async (): Promise<CheckOutcome> => {
      const { request, passage } = await openTarget(spec, { signal, connector });
      const way = passage?.connector ?? connector;
      const limited = threshold
        ? AbortSignal.any([signal, AbortSignal.timeout(threshold)])
        : signal;
      const started = performance.now();
      let answer: Exchange;
      try {
        answer = await exchange(request, { signal: limited, connector: way, phases });
      } catch (error) {
        if (threshold && limited.aborted && !signal.aborted) {
          return failed(`no complete answer within ${threshold} ms`, {
            durationMs: performance.now() - started,
          });
        }
        throw error;
      }
      const text = answer.body.toString("utf8");
      const json = asReadFromJson(readJson(text));
      const details = {
        ...keptBegin(answer),
        timings: phases.read(),
        /** Milliseconds. */
        elapsed: Math.round(answer.elapsedMs * 100) / 100,
        ...(answer.certificateEnds &&
          !passage && { sslAge: answer.certificateEnds.getTime() - Date.now() }),
        content: cutToJson(text, keptContent),
        json: (text.length <= keptContent ? json : undefined) ?? {},
        ...(answer.isCut && {
          note: `Only the first ${answer.body.length} bytes of the body were read.`,
        }),
        ...(answer.address !== request.url.href && {
          address: readableAddress(answer.address),
        }),
      };
      const durationMs = answer.elapsedMs;
      const data = () => hideIssued(scriptData(answer, text, json), answer);
      const judged = judgeAnswer(spec, answer, json);
      const error = judged === undefined ? undefined : (passage?.refused(answer) ?? judged);
      const hidden = hideIssued(details, answer);
      const about = {
        durationMs,
        details: hidden,
        data,
        // Through a cluster the certificate is that of its API server.
        ...(!passage && certificateExpiry(answer.certificateEnds)),
      };
      if (error !== undefined) return failed(error, about);
      const cut = answer.isCut ? `; only the first ${answer.body.length} bytes were read` : "";
      const message = `${answer.code} in ${inMs(durationMs)}${cut}`;
      const outcome = passed(message, about);
      if (!spec.crawl) return outcome;
      const { followLinks } = await import("./crawl.ts");
      const { crawl } = spec;
      const { timeoutMs } = input;
      return crawledOutcome(
        outcome,
        await followLinks({ crawl, request, answer, timeoutMs, signal, connector }),
      );
    });
    return withPhases(outcome, phases);
  },
});
