import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";

/**
 * Sandboxes: QuickJS in a memory of its own that cannot grow beyond a bound. The engine's own limit of memory does not
 * hold (a growing string reached 2 GB), nor does its host survive a deeper stack than this one.
 */

/** Its types tell what `require` gives; `import` gives the variant itself. */
const quickjs = variant as unknown as QuickJSSyncVariant;

const pageBytes = 64 * 1024;
const memoryPages = { initial: 256, maximum: 1024 };
/** What a script has made larger stays larger: such a memory is not used again. */
const keptPages = 384;
const stackBytes = 128 * 1024;
const spares = 2;

export const memoryMegabytes = (memoryPages.maximum * pageBytes) / 1024 / 1024;

interface Sandbox {
  quickjs: QuickJSWASMModule;
  memory: WebAssembly.Memory;
}

export class Sandboxes {
  readonly #wasm: Promise<WebAssembly.Module>;
  readonly #ready: Sandbox[] = [];

  constructor() {
    const file = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
    this.#wasm = readFile(file).then((bytes) => WebAssembly.compile(bytes));
  }

  /** Until there are as many sandboxes as one evaluation may use up. */
  async ready(): Promise<void> {
    while (this.#ready.length < spares) this.#ready.push(await this.#open());
  }

  async #open(): Promise<Sandbox> {
    const memory = new WebAssembly.Memory(memoryPages);
    const bounded = newVariant(quickjs, { wasmModule: await this.#wasm, wasmMemory: memory });
    return { quickjs: await newQuickJSWASMModuleFromVariant(bounded), memory };
  }

  /** Nothing of one use is there in the next. A sandbox that broke, or was stopped or filled, is not used again. */
  use<T>(milliseconds: number, use: (session: Session) => T): T {
    const sandbox = this.#ready.at(-1);
    if (!sandbox) throw new Error("no sandbox is ready: await ready() between evaluations");
    const session = new Session(sandbox.quickjs, milliseconds);
    let isWhole = false;
    try {
      return use(session);
    } finally {
      try {
        session.dispose();
        isWhole = !session.wasStopped;
      } finally {
        const pages = sandbox.memory.buffer.byteLength / pageBytes;
        if (!isWhole || pages > keptPages) this.#drop(sandbox);
      }
    }
  }

  #drop(sandbox: Sandbox): void {
    this.#ready.splice(this.#ready.indexOf(sandbox), 1);
  }
}

/** One runtime with one context, and its time. */
export class Session {
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  wasStopped = false;
  #deadline: number;
  readonly #owned: QuickJSHandle[] = [];

  constructor(quickjs: QuickJSWASMModule, milliseconds: number) {
    this.#deadline = performance.now() + milliseconds;
    this.runtime = quickjs.newRuntime();
    this.runtime.setMaxStackSize(stackBytes);
    this.runtime.setInterruptHandler(() => {
      if (performance.now() < this.#deadline) return false;
      this.wasStopped = true;
      return true;
    });
    this.context = this.runtime.newContext();
  }

  /** For what is said about a script that has used up its time. */
  extend(milliseconds: number): void {
    this.#deadline = performance.now() + milliseconds;
  }

  /** Until the end of the session. */
  own(handle: QuickJSHandle): QuickJSHandle {
    this.#owned.push(handle);
    return handle;
  }

  dispose(): void {
    for (const handle of this.#owned) if (handle.alive) handle.dispose();
    this.context.dispose();
    this.runtime.dispose();
  }
}
