import type { QuickJSHandle } from "quickjs-emscripten-core";
import {
  type CompileOptions,
  defaultLimits,
  type Engine,
  type HostFunction,
  type Limits,
  type Program,
  type Result,
} from "../language.ts";
import { ScriptError } from "../script-error.ts";
import type { Context, Value } from "../values.ts";
import { helpersFor } from "./helpers.ts";
import { memoryMegabytes, type Sandbox, Sandboxes } from "./sandbox.ts";
import { toJson } from "./to-json.ts";

/**
 * JavaScript of people: each run has a realm as if fresh, in which the context's members are globals and the value of the last
 * statement is the result. A null of the context reads as undefined, as those who wrote the scripts know it.
 */

const file = "script";
/** Where it is named as a variable; anything more would read it for every script. */
const namesUnderscore = /(?<![\w$.])_(?![\w$])/;

export class JavaScript implements Engine {
  readonly #sandboxes: Sandboxes;

  constructor(sandboxes = new Sandboxes()) {
    this.#sandboxes = sandboxes;
  }

  ready(): Promise<void> {
    return this.#sandboxes.ready();
  }

  compile(text: string, { functions = {}, limits }: CompileOptions = {}): Program {
    const bounds = { ...defaultLimits, ...limits };
    const all = { ...helpersFor(text), ...functions };
    const run = new Run({ sandboxes: this.#sandboxes, text, functions: all, bounds });
    run.check();
    return { run: (context) => run.run(context).value, runWithText: (context) => run.run(context) };
  }
}

class Run {
  readonly #sandboxes: Sandboxes;
  readonly #text: string;
  readonly #functions: Readonly<Record<string, HostFunction>>;
  readonly #bounds: Limits;

  constructor(given: {
    sandboxes: Sandboxes;
    text: string;
    functions: Readonly<Record<string, HostFunction>>;
    bounds: Limits;
  }) {
    this.#sandboxes = given.sandboxes;
    this.#text = given.text;
    this.#functions = given.functions;
    this.#bounds = given.bounds;
  }

  check(): void {
    this.#use((sandbox) => {
      const options = { type: "global", compileOnly: true } as const;
      const compiled = sandbox.context.evalCode(this.#text, file, options);
      return compiled.error ? this.#failure(sandbox, compiled.error) : undefined;
    });
  }

  run(context: Context): Result {
    const { json, hasNull } = this.#toJson(context);
    return this.#use((sandbox) => {
      const { context: realm } = sandbox;
      sandbox.bridge = (path, given) => this.#answer(path, given);
      const started = this.#call(sandbox, "start", [
        realm.newString(json),
        hasNull ? realm.true : realm.false,
        realm.newString(JSON.stringify(Object.keys(this.#functions))),
        sandbox.call,
        realm.newNumber(sandbox.seed()),
      ]);
      if (started instanceof ScriptError) return started;
      const done = realm.evalCode(this.#text, file, { type: "global" });
      if (done.error) return this.#failure(sandbox, done.error);
      const finished = this.#call(sandbox, "finish", [done.value]);
      if (finished instanceof ScriptError) return finished;
      const length = realm.getNumber(realm.getProp(finished, "length"));
      // The value and its text.
      if (length > 2 * this.#bounds.outputCharacters)
        return this.#error(
          `its result is longer than ${this.#bounds.outputCharacters} characters`,
          { isLimit: true },
        );
      const { value = null, text } = JSON.parse(realm.getString(finished)) as {
        value?: Value;
        text: string;
      };
      return { value, text };
    });
  }

  #toJson(context: Context): { json: string; hasNull: boolean } {
    try {
      return toJson(context, { depth: this.#bounds.depth });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw this.#error(error.message, { cause: error });
    }
  }

  #use<T>(use: (sandbox: Sandbox) => T | ScriptError): T {
    let result: T | ScriptError;
    const flavor = namesUnderscore.test(this.#text) ? "underscore" : "plain";
    try {
      result = this.#sandboxes.use(flavor, this.#bounds.milliseconds, use);
    } catch (error) {
      // The sandbox cannot go on (it has no memory left for its own needs, or no stack), and is not used again.
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError || isLost(error))
        throw this.#error(
          `needs more than ${memoryMegabytes} MB of memory, or is nested too deeply`,
          { cause: error },
        );
      throw error;
    }
    if (result instanceof ScriptError) throw result;
    return result;
  }

  #answer(path: string, given: string): string {
    try {
      const value = this.#functions[path]!(...(JSON.parse(given) as Value[]));
      return toJson({ value }, { depth: this.#bounds.depth }).json;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return JSON.stringify({ error: error.message });
    }
  }

  #call(
    sandbox: Sandbox,
    name: "start" | "finish" | "explain",
    given: QuickJSHandle[],
  ): QuickJSHandle | ScriptError {
    const { context, around } = sandbox;
    const done = context.callFunction(context.getProp(around, name), context.undefined, given);
    if (!done.error) return done.value;
    if (name !== "explain") return this.#failure(sandbox, done.error);
    return this.#error("fails with an error that cannot be told");
  }

  #failure(sandbox: Sandbox, error: QuickJSHandle): ScriptError {
    const { wasStopped } = sandbox;
    sandbox.extend(100);
    const told = this.#call(sandbox, "explain", [error]);
    if (told instanceof ScriptError) return told;
    const { name, message, stack } = JSON.parse(sandbox.context.getString(told)) as {
      name: string;
      message: string;
      stack: string;
    };
    const [, line, column] = /\bscript:(\d+)(?::(\d+))?/.exec(stack) ?? [];
    const place = {
      line: line ? Number(line) : undefined,
      column: column ? Number(column) : undefined,
    };
    const limit = { ...place, isLimit: true };
    if (wasStopped) return this.#error(`takes longer than ${this.#bounds.milliseconds} ms`, limit);
    if (name === "InternalError" && message === "stack overflow")
      return this.#error("is nested too deeply", limit);
    if (name === "InternalError" && /^(out of memory|string too long)$/.test(message))
      return this.#error(`needs more than ${memoryMegabytes} MB of memory`, limit);
    return this.#error(name && name !== "Error" ? `${name}: ${message}` : message, place);
  }

  #error(
    message: string,
    more: { line?: number; column?: number; isLimit?: boolean; cause?: unknown } = {},
  ) {
    return new ScriptError(message, { language: "javascript", ...more });
  }
}

/** How the library says that what it was handed no longer works. */
const isLost = (error: unknown): boolean =>
  error instanceof Error &&
  /^QuickJS|^Unwrap|Aborted|memory access/.test(`${error.name}${error.message}`);
