import { parentPort } from "node:worker_threads";
import { describeDifference, type Difference, whenAsked } from "./describe-difference.ts";
import type { Answer, Asked, Past, Question, Rebuilt } from "./differences.ts";
import { applySteps, type Json, type Operation, patchBetween } from "./json-patch.ts";

/** Compares what it is sent: JSON texts in, JSON texts out, so that the thread that asks parses nothing. */
parentPort!.on("message", ({ id, ...asked }: Question) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage({ id, ...answerTo(asked) } satisfies Answer);
});

function answerTo(asked: Asked) {
  if ("past" in asked) {
    try {
      return { rebuilt: rebuild(asked.past) };
    } catch (error) {
      return { failure: (error as Error).message };
    }
  }
  return {
    answers: asked.pairs.map(([before, after]) => {
      const found = describeDifference(JSON.parse(before) as Json, JSON.parse(after) as Json);
      return found && { ...written(found), back: JSON.stringify(found.back) };
    }),
  };
}

const written = ({ patches, diff, summary }: Difference) => ({
  patches: patches === null ? null : JSON.stringify(patches),
  diff,
  summary,
});

/** Follows the patches back from what is configured now, and stops where it is told. */
function rebuild({ config, back, stops, compares }: Past): Rebuilt {
  let value = JSON.parse(config) as Json;
  let done = 0;
  const configs = stops.map((stop) => {
    for (; done < stop; done += 1)
      value = applySteps(value, JSON.parse(back[done]!) as Operation[]);
    return JSON.stringify(value);
  });
  if (!compares) return { configs };
  const [after, before] = configs.map((text) => JSON.parse(text) as Json) as [Json, Json];
  const found = describeDifference(before, after, whenAsked);
  return {
    configs: [],
    difference: found && {
      ...written(found),
      forth: JSON.stringify(patchBetween(before, after)),
    },
  };
}
