import { type HttpSpec, parseResponseCode } from "@mainstay/contract";
import type { Exchange } from "#platform/outbound/http/exchange.ts";
import { waitingTime } from "#platform/outbound/http/waiting-time.ts";
import { inMs } from "../check-type.ts";
import { judgeEnd } from "../expiry.ts";
import { selectText } from "./json-path.ts";

const isAccepted = (code: number, wanted: readonly (number | string)[]) =>
  wanted.map(parseResponseCode).some(({ from, to }) => code >= from && code <= to);

/** What a document expects of an answer. */
export type Expected = Pick<
  HttpSpec,
  "responseCodes" | "responseContent" | "responseJSONContent" | "maxSSLExpiry" | "thresholdMillis"
>;

/** Everything about the answer that is not as it should be, as one sentence; undefined when all is well. */
export function judgeAnswer(spec: Expected, answer: Exchange, json: unknown): string | undefined {
  const wanted = spec.responseCodes?.length ? spec.responseCodes : ["2xx"];
  if (!isAccepted(answer.code, wanted)) {
    const wait = waitingTime(answer.headers);
    return `answered ${answer.code}, wanted ${wanted.join(", ")}${wait ? `; it asks to wait ${wait}` : ""}`;
  }
  const part = answer.isCut ? `the first ${answer.body.length} bytes of the body` : "the body";
  if (spec.responseContent && !answer.body.toString("utf8").includes(spec.responseContent)) {
    return `${part} ${answer.isCut ? "do" : "does"} not contain "${spec.responseContent.slice(0, 200)}"`;
  }
  if (spec.responseJSONContent) {
    const { path, value } = spec.responseJSONContent;
    if (json === undefined) return "the body is not JSON";
    const found = selectText(json, path);
    if (!found.includes(value)) {
      const has = found.length === 0 ? "nothing" : `"${(found[0] as string).slice(0, 200)}"`;
      return `${path} is ${has}, wanted "${value.slice(0, 200)}"`;
    }
  }
  if (spec.maxSSLExpiry) {
    if (answer.certificateEnds === undefined)
      return "there is no certificate to judge: the address is not https";
    const { error } = judgeEnd("the certificate", answer.certificateEnds, spec.maxSSLExpiry);
    if (error !== undefined) return error;
  }
  if (spec.thresholdMillis && answer.elapsedMs > spec.thresholdMillis) {
    return `the answer took ${inMs(answer.elapsedMs)}, at most ${spec.thresholdMillis} ms wanted`;
  }
  return undefined;
}
