/** What is used of it; Node has it, and only the types of browsers declare it. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: "WebAssembly.Module";
  }
  class Memory {
    readonly buffer: ArrayBuffer;
    constructor(pages: { initial: number; maximum: number });
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
}
