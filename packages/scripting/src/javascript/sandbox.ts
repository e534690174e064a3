import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { prelude } from "./prelude.ts";

/**
 * Sandboxes: QuickJS in a memory of its own that cannot grow beyond a bound. The engine's own limit of memory does not
 * hold (a growing string reached 2 GB), nor does its host survive a deeper stack than this one.
 *
 * A sandbox is made ready once: a realm, what runs around scripts in it, and Underscore where scripts name it. Its
 * memory is kept as it is then and put back after each use, so that nothing of a script is there for the next. That
 * takes a tenth of what a fresh realm takes.
 */

/** Its types tell what `require` gives; `import` gives the variant itself. */
const quickjs = variant as unknown as QuickJSSyncVariant;

const pageBytes = 64 * 1024;
const memoryPages = { initial: 256, maximum: 1024 };
/** What a script has made larger stays larger: such a memory is not used again. */
const keptPages = 384;
const stackBytes = 128 * 1024;

export const memoryMegabytes = (memoryPages.maximum * pageBytes) / 1024 / 1024;

/** What is there beside the language. */
export type Flavor = "plain" | "underscore";
const flavors: readonly Flavor[] = ["plain", "underscore"];

/** Answers a call out of the sandbox; both sides are JSON. */
export type Bridge = (path: string, given: string) => string;

const require = createRequire(import.meta.url);

export class Sandboxes {
  readonly #wasm = readFile(require.resolve("@jitl/quickjs-wasmfile-release-sync/wasm")).then(
    (bytes) => WebAssembly.compile(bytes),
  );
  readonly #underscore = readFile(require.resolve("underscore/underscore-umd-min.js"), "utf8");
  readonly #ready = new Map<Flavor, Sandbox>();

  /** Until there is one of each flavor. */
  async ready(): Promise<void> {
    for (const flavor of flavors)
      if (!this.#ready.has(flavor)) this.#ready.set(flavor, await this.#open(flavor));
  }

  async #open(flavor: Flavor): Promise<Sandbox> {
    const memory = new WebAssembly.Memory(memoryPages);
    const bounded = newVariant(quickjs, { wasmModule: await this.#wasm, wasmMemory: memory });
    const runtime = (await newQuickJSWASMModuleFromVariant(bounded)).newRuntime();
    runtime.setMaxStackSize(stackBytes);
    const sandbox = new Sandbox(memory, runtime.newContext());
    runtime.setInterruptHandler(() => sandbox.isOver());
    sandbox.prepare(flavor === "underscore" ? await this.#underscore : undefined);
    return sandbox;
  }

  /** A sandbox that broke, as no script should be able to bring about, or was filled, is not used again. */
  use<T>(flavor: Flavor, milliseconds: number, use: (sandbox: Sandbox) => T): T {
    const sandbox = this.#ready.get(flavor);
    if (!sandbox) throw new Error("no sandbox is ready: await ready() between evaluations");
    this.#ready.delete(flavor);
    sandbox.extend(milliseconds);
    const result = use(sandbox);
    if (sandbox.restore()) this.#ready.set(flavor, sandbox);
    return result;
  }
}

export class Sandbox {
  readonly context: QuickJSContext;
  /** What `prelude` gives. */
  around!: QuickJSHandle;
  /** The function by which a script calls out. */
  call!: QuickJSHandle;
  bridge: Bridge | undefined;
  wasStopped = false;
  readonly #memory: WebAssembly.Memory;
  #fresh: Uint8Array = new Uint8Array();
  #deadline = Number.POSITIVE_INFINITY;

  constructor(memory: WebAssembly.Memory, context: QuickJSContext) {
    this.#memory = memory;
    this.context = context;
  }

  prepare(underscore: string | undefined): void {
    const { context } = this;
    this.around = context.unwrapResult(context.evalCode(prelude, "prelude", { type: "global" }));
    if (underscore !== undefined)
      context
        .unwrapResult(context.evalCode(underscore, "underscore", { type: "global" }))
        .dispose();
    this.call = context.newFunction("call", (path, given) => {
      if (!this.bridge) throw new Error("a script calls out where none runs");
      return context.newString(this.bridge(context.getString(path), context.getString(given)));
    });
    const bytes = new Uint8Array(this.#memory.buffer);
    this.#fresh = bytes.slice(0, bytes.findLastIndex((byte) => byte !== 0) + 1);
  }

  isOver(): boolean {
    if (performance.now() < this.#deadline) return false;
    this.wasStopped = true;
    return true;
  }

  /** Also for what is said about a script that has used up its time. */
  extend(milliseconds: number): void {
    this.#deadline = performance.now() + milliseconds;
  }

  /** A number that no other run begins its random numbers with: those of a memory that was put back are all the same. */
  seed(): number {
    return randomInt(2 ** 32);
  }

  /** Handles of the use that ends mean nothing any more, and need not be freed: false when it cannot be used again. */
  restore(): boolean {
    this.bridge = undefined;
    this.wasStopped = false;
    if (this.#memory.buffer.byteLength > keptPages * pageBytes) return false;
    new Uint8Array(this.#memory.buffer).set(this.#fresh);
    return true;
  }
}
