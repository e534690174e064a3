import { mentionedOf } from "./mentioned.ts";
import { MessageChannel, Worker } from "node:worker_threads";
import { defaultLimits, type Language, type Limits, type Result } from "../language.ts";
import { ScriptError } from "../script-error.ts";
import type { Context, Mapping, Value } from "../values.ts";
import type { Answer, Job, Outcome, Question, Setup } from "./messages.ts";
import { pack, type Packed, TooLarge, unpack } from "./wire.ts";

/**
 * Runs scripts in a thread of their own, which is started when the first comes. Many go in one message. What the
 * languages do not bound by themselves is bounded here: a script that takes too long, or more memory than the thread
 * has, ends the thread; it is told so, and the others that were sent with it run again in a new one.
 */

export interface Evaluation {
  language: Language;
  script: string;
  /** What the script can name. */
  context: Context;
  /** Names of those that the evaluator's module adds. */
  functions?: readonly string[];
  /** What those functions answer from; scripts do not see it. */
  data?: Mapping;
  /** Functions without arguments, by name, each with what it answers: `last_result()`. */
  answers?: Mapping;
  /** Functions that are answered here while the script waits, by the names under which it calls them. */
  asks?: Readonly<Record<string, Ask>>;
  /** Of Go templates. */
  delimiters?: readonly [left: string, right: string];
  /** Of Go templates: a part of a spec, in which `$( )` are replaced after `{{ }}`. */
  isSpec?: boolean;
}

/**
 * Answers a question of a script, whose time goes on meanwhile; the signal is aborted when the script has ended. The
 * message of what it throws is told to the script.
 */
export type Ask = (given: readonly Value[], signal: AbortSignal) => Promise<Value>;

export interface Evaluator {
  /** @throws ScriptError */
  evaluate(evaluation: Evaluation): Promise<Result>;
  /**
   * Whether the text is one of its language; it is not run.
   * @throws ScriptError
   */
  check(script: Omit<Evaluation, "context" | "data">): Promise<void>;
  /** What still waits is rejected. */
  close(): Promise<void>;
}

export interface EvaluatorOptions {
  limits?: Partial<Limits>;
  /** A module that exports `functions`, each an `AddedFunction`; the thread reads it. */
  functions?: URL;
}

const scriptCharacters = 200_000;
/** What can be sent without the main thread being held up by it. */
const contextSize = { values: 200_000, characters: 16_000_000 };
const resultSize = { values: 200_000 };
const none: readonly string[] = [];
const batch = { jobs: 200, values: 50_000 };
const memory = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** The languages that look at the clock say themselves, and better, what took long. */
const graceMs = 500;
const pollMs = 50;

interface Waiting {
  job: Job;
  asks: Evaluation["asks"];
  /** Of what is asked for it; made with its first question. */
  asking?: AbortController;
  /** What its answers may hold together, as far as it is not used up. */
  left: { values: number; characters: number };
  resolve(result: Result): void;
  reject(error: Error): void;
  /** How often a thread ended with it, of which nobody knows why. */
  lost: number;
}

export function createEvaluator(options: EvaluatorOptions = {}): Evaluator {
  return new ThreadEvaluator(options);
}

class ThreadEvaluator implements Evaluator {
  readonly #limits: Limits;
  readonly #functions: string | undefined;
  /** Of the present thread alone: one that is being ended may still write into its own. */
  #working = new Int32Array(new SharedArrayBuffer(4));
  /** In the order in which they came. */
  #waiting: Waiting[] = [];
  readonly #sent = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  /** The job that the watchdog saw last, and when first. */
  #seen = { id: 0, since: 0 };
  #nextId = 1;
  #isFlushing = false;
  #isClosed = false;
  /** After a thread was lost without a culprit: the next one gets one job at a time. */
  #isCareful = false;

  constructor({ limits, functions }: EvaluatorOptions) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#functions = functions?.href;
  }

  evaluate(evaluation: Evaluation): Promise<Result> {
    return this.#add(() => this.#jobOf(evaluation), evaluation.asks);
  }

  async check(script: Omit<Evaluation, "context" | "data">): Promise<void> {
    await this.#add(() => ({ ...this.#jobOf({ ...script, context: {} }), isCheck: true }));
  }

  #add(make: () => Job, asks?: Evaluation["asks"]): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) throw new Error("the evaluator is closed");
      const left = { ...contextSize };
      this.#waiting.push({ job: make(), asks, left, resolve, reject, lost: 0 });
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      // What is asked for in one turn goes in one message.
      setImmediate(() => {
        this.#isFlushing = false;
        this.#send();
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watchdog);
    const closed = new Error("the evaluator was closed before this script ran");
    for (const waiting of [...this.#sent.values(), ...this.#waiting]) {
      waiting.reject(closed);
      waiting.asking?.abort(closed);
    }
    this.#sent.clear();
    this.#waiting = [];
    await this.#end();
  }

  #jobOf(evaluation: Evaluation): Job {
    const {
      language,
      script,
      context,
      data,
      functions = [],
      answers = {},
      asks,
      delimiters,
      isSpec = false,
    } = evaluation;
    if (script.length > scriptCharacters)
      throw new ScriptError(`is longer than ${scriptCharacters} characters`, {
        language,
        isLimit: true,
      });
    const size = { ...contextSize, depth: this.#limits.depth };
    const packed = (value: Mapping): Packed => {
      try {
        return pack(value, size);
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
        throw new ScriptError(`its context is ${error.message}`, {
          language,
          script,
          isLimit: true,
          cause: error,
        });
      }
    };
    const answered = Object.keys(answers);
    const id = this.#nextId;
    this.#nextId = id === 0x7fff_ffff ? 1 : id + 1;
    return {
      id,
      language,
      script,
      context: packed(mentionedOf(context, language, script)),
      data: data || answered.length > 0 ? packed({ ...data, ...answers }) : undefined,
      functions,
      answers: answered,
      asks: asks ? Object.keys(asks) : none,
      isCheck: false,
      delimiters,
      isSpec,
    };
  }

  #send(): void {
    if (this.#sent.size > 0 || this.#waiting.length === 0 || this.#isClosed) return;
    let values = 0;
    let length = 0;
    for (const { job } of this.#waiting) {
      if (length === batch.jobs || values > batch.values || (this.#isCareful && length === 1))
        break;
      values += job.context.values;
      length += 1;
    }
    const next = this.#waiting.splice(0, length);
    for (const waiting of next) this.#sent.set(waiting.job.id, waiting);
    this.#thread ??= this.#start();
    this.#thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none, windows do
    this.#thread.postMessage(next.map(({ job }) => job));
    this.#watchdog ??= setInterval(() => this.#watch(), pollMs);
  }

  #start(): Worker {
    const current = new SharedArrayBuffer(4);
    this.#working = new Int32Array(current);
    const { port1: questions, port2: asking } = new MessageChannel();
    const answered = new SharedArrayBuffer(4);
    const setup: Setup = {
      limits: this.#limits,
      result: resultSize,
      functions: this.#functions,
      current,
      asking,
      answered,
    };
    // The same file, as it is in the repository or as a release has it.
    const file = `./thread.${import.meta.url.split(".").at(-1)}`;
    const thread = new Worker(new URL(file, import.meta.url), {
      name: "scripts",
      workerData: setup,
      transferList: [asking],
      resourceLimits: memory,
      env: {},
      execArgv: [],
    });
    const sent = new Int32Array(answered);
    questions.on("message", (question: Question) => {
      void this.#answer(question).then((answer) => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none, windows do
        questions.postMessage(answer);
        Atomics.add(sent, 0, 1);
        Atomics.notify(sent, 0);
      });
    });
    // It is the thread that keeps the process alive while there is something to do.
    questions.unref();
    let failure: Error | undefined;
    thread.on("error", (error: Error) => (failure = error));
    thread.on("message", (outcomes: readonly Outcome[]) => this.#settle(outcomes));
    thread.on("exit", (code) => {
      questions.close();
      if (thread !== this.#thread) return;
      this.#thread = undefined;
      this.#recover(failure ?? new Error(`the thread of scripts ended with ${code}`));
    });
    return thread;
  }

  /** Never rejects. The thread may have ended meanwhile: then nobody reads it. */
  async #answer({ number, job, name, given }: Question): Promise<Answer> {
    const waiting = this.#sent.get(job);
    const ask = waiting?.asks?.[name];
    if (!ask) return { number, error: "there is nobody to answer" };
    waiting.asking ??= new AbortController();
    try {
      const value = await ask(unpack(given) as readonly Value[], waiting.asking.signal);
      const packed = pack(value, { ...waiting.left, depth: this.#limits.depth });
      waiting.left.values -= packed.values;
      waiting.left.characters -= packed.characters;
      return { number, value: packed };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { number, error: error instanceof TooLarge ? `its answer is ${message}` : message };
    }
  }

  #settle(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) {
      const waiting = this.#sent.get(outcome.id);
      if (!waiting) continue;
      this.#sent.delete(outcome.id);
      waiting.asking?.abort();
      const { language, script } = waiting.job;
      if (outcome.is === "result")
        waiting.resolve({ value: unpack(outcome.value), text: outcome.text });
      else if (outcome.is === "mistake") {
        const { message, line, column, isLimit } = outcome;
        waiting.reject(new ScriptError(message, { language, line, column, script, isLimit }));
      } else
        waiting.reject(
          new Error(`a script (${language}) could not be evaluated: ${outcome.message}`, {
            cause: outcome.stack,
          }),
        );
    }
    if (this.#sent.size > 0) return;
    this.#isCareful = this.#isCareful && this.#waiting.some(({ lost }) => lost > 0);
    this.#rest();
    this.#send();
  }

  /** Nothing keeps the process alive while nothing is to do. */
  #rest(): void {
    clearInterval(this.#watchdog);
    this.#watchdog = undefined;
    this.#seen = { id: 0, since: 0 };
    this.#thread?.unref();
  }

  #watch(): void {
    const id = Atomics.load(this.#working, 0);
    const now = performance.now();
    if (id !== this.#seen.id) {
      this.#seen = { id, since: now };
      return;
    }
    if (id === 0 || now - this.#seen.since < this.#limits.milliseconds + graceMs) return;
    this.#blame(id, `takes longer than ${this.#limits.milliseconds} ms`);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#again();
    void thread?.terminate();
  }

  /** The thread has ended by itself. */
  #recover(failure: Error): void {
    const id = Atomics.load(this.#working, 0);
    const isMemory = (failure as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
    if (id !== 0 && this.#sent.has(id))
      this.#blame(
        id,
        isMemory
          ? "needs more memory than a script may have"
          : `ended its thread: ${failure.message}`,
      );
    else {
      this.#isCareful = true;
      for (const waiting of this.#sent.values()) waiting.lost += 1;
      for (const [sentId, { lost, reject }] of this.#sent)
        if (lost > 1) {
          this.#sent.delete(sentId);
          reject(new Error("the thread of scripts cannot run", { cause: failure }));
        }
    }
    this.#again();
  }

  #blame(id: number, message: string): void {
    const waiting = this.#sent.get(id);
    this.#sent.delete(id);
    waiting?.asking?.abort();
    const { language, script } = waiting?.job ?? {};
    if (language) waiting!.reject(new ScriptError(message, { language, script, isLimit: true }));
  }

  /** What was sent and has no answer runs in a new thread. */
  #again(): void {
    for (const waiting of this.#sent.values()) {
      waiting.asking?.abort();
      waiting.asking = undefined;
      waiting.left = { ...contextSize };
    }
    this.#waiting = [...this.#sent.values(), ...this.#waiting];
    this.#sent.clear();
    this.#rest();
    this.#send();
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
