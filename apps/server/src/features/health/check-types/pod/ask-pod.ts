import type { PodSpec } from "@mainstay/contract";
import type { Connector } from "#platform/outbound/connector.ts";
import { exchange } from "#platform/outbound/http/exchange.ts";
import { waitUntil } from "../kubernetes/wait-until.ts";

const defaults = { httpTimeout: 5000, ingressTimeout: 5000, httpRetryInterval: 750 };
const mostRead = 1_048_576;

export type Expectations = Pick<
  PodSpec,
  | "httpTimeout"
  | "ingressTimeout"
  | "httpRetryInterval"
  | "expectedContent"
  | "expectedHttpStatuses"
>;

/** Why an answer is not the expected one. */
function complaint(
  { code, body }: { code: number; body: Buffer },
  { expectedContent, expectedHttpStatuses = [] }: Expectations,
): string | undefined {
  const isGood =
    expectedHttpStatuses.length > 0
      ? expectedHttpStatuses.includes(code)
      : code >= 200 && code < 300;
  if (!isGood) return `it answered ${code}, wanted ${expectedHttpStatuses.join(", ") || "2xx"}`;
  if (expectedContent && !body.toString("utf8").includes(expectedContent))
    return `its answer does not contain ${JSON.stringify(expectedContent.slice(0, 200))}`;
  return undefined;
}

/** Asks until the answer is good; the last complaint when it is not in time. */
export async function askPod(
  url: URL,
  expected: Expectations,
  { connector, signal }: { connector: Connector; signal: AbortSignal },
): Promise<string | undefined> {
  const { httpTimeout, ingressTimeout, httpRetryInterval } = expected;
  let last = "it was not asked";
  const answered = await waitUntil(
    async () => {
      const inTime = AbortSignal.any([
        signal,
        AbortSignal.timeout(httpTimeout || defaults.httpTimeout),
      ]);
      try {
        const answer = await exchange({ url, mostBody: mostRead }, { signal: inTime, connector });
        last = complaint(answer, expected) ?? "";
      } catch (error) {
        signal.throwIfAborted();
        last = inTime.aborted ? "it did not answer in time" : (error as Error).message;
      }
      return last === "" ? true : undefined;
    },
    {
      signal,
      timeoutMs: ingressTimeout || defaults.ingressTimeout,
      everyMs: httpRetryInterval || defaults.httpRetryInterval,
    },
  );
  return answered ? undefined : last;
}
