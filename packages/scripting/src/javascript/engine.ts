import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
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
import { prelude } from "./prelude.ts";
import { memoryMegabytes, Sandboxes, type Session } from "./sandbox.ts";
import { toJson } from "./to-json.ts";

/**
 * JavaScript of people: each run has a fresh realm, in which the context's members are globals and the value of the last
 * statement is the result. A null of the context reads as undefined, as those who wrote the scripts know it.
 */

const file = "script";
/** Where it is named as a variable; anything more would read it for every script. */
const namesUnderscore = /(?<![\w$.])_(?![\w$])/;
let underscore: string | undefined;

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
    const run = new Run({ sandboxes: this.#sandboxes, text, functions, bounds });
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
    this.#use((session) => {
      const around = this.#around(session);
      const options = { type: "global", compileOnly: true } as const;
      const compiled = session.context.evalCode(this.#text, file, options);
      if (compiled.error) throw this.#failure(session, around, session.own(compiled.error));
      session.own(compiled.value);
    });
  }

  run(context: Context): Result {
    const { json, hasNull } = this.#toJson(context);
    return this.#use((session) => {
      const { context: realm } = session;
      const around = this.#around(session);
      if (namesUnderscore.test(this.#text))
        session.own(realm.unwrapResult(this.#readUnderscore(session)));
      this.#call(session, around, "start", [
        session.own(realm.newString(json)),
        hasNull ? realm.true : realm.false,
        this.#paths(session),
        this.#bridge(session),
      ]);
      const done = realm.evalCode(this.#text, file, { type: "global" });
      if (done.error) throw this.#failure(session, around, session.own(done.error));
      const finished = this.#call(session, around, "finish", [session.own(done.value)]);
      const length = realm.getProp(finished, "length").consume((handle) => realm.getNumber(handle));
      // The value and its text.
      if (length > 2 * this.#bounds.outputCharacters)
        throw this.#error(`its result is longer than ${this.#bounds.outputCharacters} characters`);
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

  #use<T>(use: (session: Session) => T): T {
    try {
      return this.#sandboxes.use(this.#bounds.milliseconds, use);
    } catch (error) {
      if (error instanceof ScriptError) throw error;
      // The sandbox cannot go on (it has no memory left for its own needs, or no stack), and is not used again.
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError || isLost(error))
        throw this.#error(
          `needs more than ${memoryMegabytes} MB of memory, or is nested too deeply`,
          { cause: error },
        );
      throw error;
    }
  }

  #around(session: Session): QuickJSHandle {
    const { context } = session;
    return session.own(
      context.unwrapResult(context.evalCode(prelude, "prelude", { type: "global" })),
    );
  }

  #readUnderscore(session: Session) {
    underscore ??= readFileSync(
      createRequire(import.meta.url).resolve("underscore/underscore-umd-min.js"),
      "utf8",
    );
    return session.context.evalCode(underscore, "underscore", { type: "global" });
  }

  #paths(session: Session): QuickJSHandle {
    const { context } = session;
    const list = session.own(context.newArray());
    Object.keys(this.#functions).forEach((path, index) =>
      context.newString(path).consume((name) => context.setProp(list, index, name)),
    );
    return list;
  }

  #bridge(session: Session): QuickJSHandle {
    const { context } = session;
    const bridge = context.newFunction("call", (path, given) => {
      let answer: string;
      try {
        const values = JSON.parse(context.getString(given)) as Value[];
        const value = this.#functions[context.getString(path)]!(...values);
        answer = toJson({ value }, { depth: this.#bounds.depth }).json;
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        answer = JSON.stringify({ error: error.message });
      }
      return context.newString(answer);
    });
    return session.own(bridge);
  }

  #call(
    session: Session,
    around: QuickJSHandle,
    name: "start" | "finish" | "explain",
    given: QuickJSHandle[],
  ): QuickJSHandle {
    const { context } = session;
    const done = context
      .getProp(around, name)
      .consume((called) => context.callFunction(called, context.undefined, given));
    if (!done.error) return session.own(done.value);
    session.own(done.error);
    if (name !== "explain") throw this.#failure(session, around, done.error);
    throw this.#error("fails with an error that cannot be told");
  }

  #failure(session: Session, around: QuickJSHandle, error: QuickJSHandle): ScriptError {
    const wasStopped = session.wasStopped;
    session.extend(100);
    const told = this.#call(session, around, "explain", [error]);
    const { name, message, stack } = JSON.parse(session.context.getString(told)) as {
      name: string;
      message: string;
      stack: string;
    };
    const [, line, column] = /\bscript:(\d+)(?::(\d+))?/.exec(stack) ?? [];
    const place = {
      line: line ? Number(line) : undefined,
      column: column ? Number(column) : undefined,
    };
    if (wasStopped) return this.#error(`takes longer than ${this.#bounds.milliseconds} ms`, place);
    if (name === "InternalError" && message === "stack overflow")
      return this.#error("is nested too deeply", place);
    if (name === "InternalError" && /^(out of memory|string too long)$/.test(message))
      return this.#error(`needs more than ${memoryMegabytes} MB of memory`, place);
    return this.#error(name && name !== "Error" ? `${name}: ${message}` : message, place);
  }

  #error(message: string, more: { line?: number; column?: number; cause?: unknown } = {}) {
    return new ScriptError(message, { language: "javascript", ...more });
  }
}

/** How the library says that what it was handed no longer works. */
const isLost = (error: unknown): boolean =>
  error instanceof Error &&
  /^QuickJS|^Unwrap|Aborted|memory access/.test(`${error.name}${error.message}`);
