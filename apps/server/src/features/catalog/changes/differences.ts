import { Worker } from "node:worker_threads";
import { defineService } from "#platform/service.ts";

/** Two JSON texts. */
export type Pair = readonly [before: string, after: string];

/** `Difference` with its JSON as text. */
export interface WrittenDifference {
  patches: string | null;
  diff: string | null;
  summary: string;
  back: string;
}

export interface Question {
  id: number;
  pairs: readonly Pair[];
}
export interface Answer {
  id: number;
  answers: readonly (WrittenDifference | undefined)[];
}

/** Compares items in a thread of its own, which is started when the first are to be compared. */
export interface Differences {
  /** In the order of the pairs; nothing where two say the same. */
  between(pairs: readonly Pair[]): Promise<(WrittenDifference | undefined)[]>;
  close(): Promise<void>;
}

const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const idleMs = 60_000;

interface Waiting {
  resolve(answers: (WrittenDifference | undefined)[]): void;
  reject(error: Error): void;
}

export function createDifferences(): Differences {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let thread: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    // The same file, as it is in the repository or as a release has it.
    const file = `./difference-thread.${import.meta.url.split(".").at(-1)}`;
    const started = new Worker(new URL(file, import.meta.url), {
      name: "differences",
      resourceLimits: memory,
      env: {},
      execArgv: [],
    });
    let failure = new Error("The thread that compares items ended.");
    started.on("message", ({ id, answers }: Answer) => {
      waiting.get(id)?.resolve([...answers]);
      waiting.delete(id);
      if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref();
    });
    started.on("error", (error: Error) => (failure = error));
    started.on("exit", () => {
      if (thread === started) thread = undefined;
      for (const { reject } of waiting.values()) reject(failure);
      waiting.clear();
    });
    return started;
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.terminate();
  }

  return {
    between(pairs) {
      if (pairs.length === 0) return Promise.resolve([]);
      clearTimeout(idle);
      thread ??= start();
      const id = nextId++;
      const question: Question = { id, pairs };
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
        thread!.postMessage(question);
      });
    },
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

export const differences = defineService("differences of items", () => createDifferences());
