import { parentPort } from "node:worker_threads";
import { describeDifference } from "./describe-difference.ts";
import type { Json } from "./json-patch.ts";
import type { Answer, Question } from "./differences.ts";

/** Compares what it is sent: JSON texts in, JSON texts out, so that the thread that asks parses nothing. */
parentPort!.on("message", ({ id, pairs }: Question) => {
  const answers = pairs.map(([before, after]) => {
    const found = describeDifference(JSON.parse(before) as Json, JSON.parse(after) as Json);
    return (
      found && {
        patches: found.patches === null ? null : JSON.stringify(found.patches),
        diff: found.diff,
        summary: found.summary,
        back: JSON.stringify(found.back),
      }
    );
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage({ id, answers } satisfies Answer);
});
