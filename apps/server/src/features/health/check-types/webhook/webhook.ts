import { checkSpecs, formatDuration, type WebhookSpec } from "@mainstay/contract";
import type { Value } from "@mainstay/scripting";
import { type Calls, checkType, type CheckOutcome, failed, passed } from "../check-type.ts";

/** A call is good unless a test says otherwise; it stays so until the next. */
export function judgeWebhook({ kept, now }: Calls): CheckOutcome {
  if (!kept) return passed("waiting for the first call", { isWaiting: true });
  const agoMs = Math.max(0, now.getTime() - kept.at.getTime());
  const ago = formatDuration(Math.floor(agoMs / 1000) * 1000);
  const { headers, json, content } = kept.call;
  const results = {
    headers,
    ...(json !== undefined && { json }),
    ...(content !== undefined && { content }),
  };
  return passed(`called ${ago} ago`, {
    details: { ...results, lastCall: kept.at.toISOString() },
    data: () => ({
      results: results as Value,
      headers,
      json: (json ?? {}) as Value,
      content: content ?? "",
    }),
  });
}

export const webhook = checkType<WebhookSpec>({
  type: "webhook",
  spec: checkSpecs.webhook,
  network: false,
  endpoint: () => "waits to be called",
  awaits: {
    token: (spec) => spec.token?.value || undefined,
    keepsCalls: true,
    judge: (_spec, calls) => judgeWebhook(calls),
  },
  run: () =>
    Promise.resolve(
      failed(
        "a webhook is judged by the server that receives the calls; it cannot be run by itself",
        { invalid: true },
      ),
    ),
});
