import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { Limits } from "../language.ts";
import { ScriptError } from "../script-error.ts";
import type { Value } from "../values.ts";
import type { Answer, Job, Question, Setup } from "./messages.ts";
import { pack, TooLarge, unpack } from "./wire.ts";

/** How a script asks the other thread: it sends its question and stands still until there is an answer or its time is over. */

/** Questions of one script. */
const mostQuestions = 100;
const questionSize = { values: 1_000, characters: 100_000 };

export interface Asker {
  /** Runs a script that may ask. What ended its questions ends it, too, whatever it makes of that. */
  during<T>(job: Job, run: () => T): T;
  ask(name: string, given: readonly Value[]): Value;
}

/** What a script is told that asks too much or waits too long. */
class GaveUp extends Error {}

export function createAsker({ asking, answered, limits }: Setup): Asker {
  const sent = new Int32Array(answered);
  let number = 0;
  let current: { id: number; deadline: number; asked: number; gaveUp?: GaveUp } | undefined;

  function giveUp(message: string): never {
    const error = new GaveUp(message);
    if (current) current.gaveUp ??= error;
    throw error;
  }

  return {
    during(job, run) {
      const script = { id: job.id, deadline: performance.now() + limits.milliseconds, asked: 0 };
      current = script;
      try {
        const result = run();
        throwGivenUp(current, job);
        return result;
      } catch (error) {
        throwGivenUp(current, job, error);
        throw error;
      } finally {
        current = undefined;
      }
    },
    ask(name, given) {
      if (!current) throw new Error(`a script asks ${name} where none runs`);
      if (current.gaveUp) throw current.gaveUp;
      current.asked += 1;
      if (current.asked > mostQuestions) giveUp(`asks more than ${mostQuestions} times`);
      number += 1;
      const question: Question = {
        number,
        job: current.id,
        name,
        given: packed(name, given, limits),
      };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none, windows do
      asking.postMessage(question);
      const answer = wait(asking, sent, number, current.deadline);
      if (!answer)
        return giveUp(`takes longer than ${limits.milliseconds} ms: it waits for ${name}`);
      if ("error" in answer) throw new Error(`${name}: ${answer.error}`);
      return unpack(answer.value);
    },
  };
}

function packed(name: string, given: readonly Value[], { depth }: Limits): Question["given"] {
  try {
    return pack(given, { ...questionSize, depth });
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw new Error(`${name}: what it is given is ${error.message}`, { cause: error });
  }
}

/** Undefined when there is none in time. Answers that others no longer waited for are dropped. */
function wait(
  asking: MessagePort,
  sent: Int32Array,
  number: number,
  deadline: number,
): Answer | undefined {
  for (;;) {
    const seen = Atomics.load(sent, 0);
    for (
      let received = receiveMessageOnPort(asking);
      received;
      received = receiveMessageOnPort(asking)
    ) {
      const answer = received.message as Answer;
      if (answer.number === number) return answer;
    }
    const left = deadline - performance.now();
    if (left <= 0 || Atomics.wait(sent, 0, seen, left) === "timed-out") return undefined;
  }
}

function throwGivenUp(
  script: { gaveUp?: GaveUp } | undefined,
  { language }: Job,
  told?: unknown,
): void {
  const cause = script?.gaveUp;
  if (!cause) return;
  const { line, column } = told instanceof ScriptError ? told : {};
  throw new ScriptError(cause.message, { language, line, column, isLimit: true, cause });
}
