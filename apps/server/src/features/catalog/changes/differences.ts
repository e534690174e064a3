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

/** What is configured now, as JSON, and what leads from there back. */
export interface Past {
  config: string;
  /** JSON: patches (RFC 6902), the newest first. */
  back: readonly string[];
  /** How many of them are to be followed, fewest first: what is configured is told after each. */
  stops: readonly number[];
  /** The last two are compared. */
  compares: boolean;
}

/** JSON texts, one for each stop; or what differs between the two. */
export interface Rebuilt {
  configs: readonly string[];
  difference?: (Omit<WrittenDifference, "back"> & { forth: string }) | undefined;
}

export type Asked = { pairs: readonly Pair[] } | { past: Past };
export type Question = Asked & { id: number };
export type Answer = { id: number } & (
  | { answers: readonly (WrittenDifference | undefined)[] }
  | { rebuilt: Rebuilt }
  /** It was not to be done: the thread goes on with the next. */
  | { failure: string }
);

/** Compares items in a thread of its own, which is started when the first are to be compared. */
export interface Differences {
  /** In the order of the pairs; nothing where two say the same. */
  between(pairs: readonly Pair[]): Promise<(WrittenDifference | undefined)[]>;
  /** What was configured once. */
  rebuild(past: Past): Promise<Rebuilt>;
  close(): Promise<void>;
}

const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const idleMs = 60_000;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A thread, and who waits for its answers. */
interface Thread {
  worker: Worker;
  waiting: Map<number, Waiting>;
}

export function createDifferences(): Differences {
  let nextId = 1;
  let thread: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Thread {
    const waiting = new Map<number, Waiting>();
    // The same file, as it is in the repository or as a release has it.
    const file = `./difference-thread.${import.meta.url.split(".").at(-1)}`;
    const worker = new Worker(new URL(file, import.meta.url), {
      name: "differences",
      resourceLimits: memory,
      env: {},
      execArgv: [],
    });
    const started = { worker, waiting };
    let failure = new Error("The thread that compares items ended.");
    worker.on("message", (answer: Answer) => {
      const { id } = answer;
      if ("failure" in answer) waiting.get(id)?.reject(new Error(answer.failure));
      else waiting.get(id)?.resolve(answer);
      waiting.delete(id);
      if (waiting.size === 0) idle = setTimeout(() => void end(), idleMs).unref();
    });
    worker.on("error", (error: Error) => (failure = error));
    worker.on("exit", () => {
      if (thread === started) thread = undefined;
      for (const { reject } of waiting.values()) reject(failure);
    });
    return started;
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    await ended?.worker.terminate();
  }

  function ask(asked: Asked): Promise<Answer> {
    clearTimeout(idle);
    thread ??= start();
    const { worker, waiting } = thread;
    const id = nextId++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      worker.postMessage({ ...asked, id } satisfies Question);
    });
  }

  return {
    async between(pairs) {
      if (pairs.length === 0) return [];
      const answer = await ask({ pairs });
      return "answers" in answer ? [...answer.answers] : [];
    },
    async rebuild(past) {
      const answer = await ask({ past });
      return "rebuilt" in answer ? answer.rebuilt : { configs: [] };
    },
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

/** Those of scrapes. */
export const differences = defineService("differences of items", () => createDifferences());

/** Those that people ask for: what is too much for the memory of one ends no scrape. */
export const askedDifferences = defineService("differences that are asked for", () =>
  createDifferences(),
);
