import { parentPort, workerData } from "node:worker_threads";
import type { CompileOptions, HostFunction, Program, Result } from "../language.ts";
import { ScriptError } from "../script-error.ts";
import type { Context, Mapping, Value } from "../values.ts";
import { createAsker } from "./asking.ts";
import { engineOf } from "./engines.ts";
import type { AddedFunction, Job, Outcome, Setup } from "./messages.ts";
import { ProgramCache } from "./program-cache.ts";
import { pack, TooLarge, unpack } from "./wire.ts";

/** The thread in which scripts run, one after the other. What goes wrong beyond its means ends it (`evaluator.ts`). */

const setup = workerData as Setup;
const { limits, result: resultSize, functions: functionsUrl, current } = setup;
const asker = createAsker(setup);
const working = new Int32Array(current);
const programs = new ProgramCache();
const added: Readonly<Record<string, AddedFunction>> = functionsUrl
  ? ((await import(functionsUrl)) as { functions: Record<string, AddedFunction> }).functions
  : {};
/** Of the evaluation that runs now. */
let data: Mapping = {};

const checkedSize = { depth: 1, values: 1, characters: 0 };

/** After so long what is done is sent, though more is to do. */
const postAfterMs = 5;

let before: Promise<void> = Promise.resolve();
parentPort!.on("message", (jobs: readonly Job[]) => {
  before = before.then(() => work(jobs));
});

async function work(jobs: readonly Job[]): Promise<void> {
  let outcomes: Outcome[] = [];
  let posted = performance.now();
  for (const job of jobs) {
    outcomes.push(await outcomeOf(job));
    if (performance.now() - posted < postAfterMs) continue;
    post(outcomes);
    outcomes = [];
    posted = performance.now();
  }
  if (outcomes.length > 0) post(outcomes);
}

function post(outcomes: readonly Outcome[]): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have none, windows do
  parentPort!.postMessage(outcomes);
}

async function outcomeOf(job: Job): Promise<Outcome> {
  const { id } = job;
  try {
    const engine = await engineOf(job.language);
    await engine.ready?.();
    if (job.script.includes("jq")) await (await import("../functions/jq.ts")).readyJq();
    const compile = (options: CompileOptions) => engine.compile(job.script, options);
    Atomics.store(working, 0, id);
    if (job.isCheck) {
      programOf(job, compile);
      return { id, is: "result", value: pack(null, checkedSize), text: "" };
    }
    const { value, text } = evaluate(job, compile);
    const size = { depth: limits.depth + 1, characters: limits.outputCharacters, ...resultSize };
    if (text.length > size.characters)
      throw new TooLarge(`larger than ${size.characters} characters`);
    return { id, is: "result", value: pack(value, size), text };
  } catch (error) {
    return { id, ...explain(error) };
  } finally {
    Atomics.store(working, 0, 0);
  }
}

type Compile = (options: CompileOptions) => Program;

function programOf(job: Job, compile: Compile): Program {
  const { delimiters, isSpec } = job;
  return programs.get(job, () =>
    compile({ limits, delimiters, isSpec, functions: functionsOf(job) }),
  );
}

function evaluate(job: Job, compile: Compile): Result {
  const program = programOf(job, compile);
  data = job.data ? (unpack(job.data) as Mapping) : {};
  const context = unpack(job.context) as Context;
  if (job.asks.length > 0) return asker.during(job, () => run(program, context));
  return run(program, context);
}

function run(program: Program, context: Context): Result {
  if (program.runWithText) return program.runWithText(context);
  const value = program.run(context);
  return { value, text: textOf(value) };
}

function functionsOf({ functions, answers, asks }: Job): Record<string, HostFunction> {
  const answering = answers.map((name): [string, HostFunction] => [
    name,
    () => (Object.hasOwn(data, name) ? data[name]! : null),
  ]);
  const asking = asks.map((name): [string, HostFunction] => [
    name,
    (...given) => asker.ask(name, given),
  ]);
  return Object.fromEntries(
    answering.concat(
      asking,
      functions.map((name): [string, HostFunction] => {
        const called = Object.hasOwn(added, name) ? added[name] : undefined;
        if (!called) throw new Error(`there is no function ${name} to add to a script`);
        return [name, (...given) => called(data, ...given)];
      }),
    ),
  );
}

const textOf = (value: Value): string => {
  if (typeof value === "string") return value;
  if (value === null) return "";
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "bigint" ? `${member}` : member,
  );
};

type Unnumbered<T> = T extends unknown ? Omit<T, "id"> : never;

function explain(error: unknown): Unnumbered<Outcome> {
  const limit = (message: string) => ({ is: "mistake", message, isLimit: true }) as const;
  if (error instanceof ScriptError) {
    const { message, line, column, isLimit } = error;
    return { is: "mistake", message, line, column, isLimit };
  }
  if (error instanceof TooLarge) return limit(`its result is ${error.message}`);
  if (error instanceof RangeError) {
    // What V8 says when the stack, or the longest text or list it can make, is used up.
    if (error.message.startsWith("Maximum call stack")) return limit("is nested too deeply");
    if (/^(Invalid (string|array|typed array) length|Array buffer)/.test(error.message))
      return limit("needs more memory than a script may have");
  }
  if (error instanceof Error) return { is: "fault", message: error.message, stack: error.stack };
  return { is: "fault", message: String(error) };
}
