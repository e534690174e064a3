import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Jq, loadJq } from "jq-wasm";
import { toJson } from "../javascript/to-json.ts";
import type { Value } from "../values.ts";

/**
 * jq itself, in WebAssembly: it has no files but its own, and a memory that is bounded here. It counts no steps; what
 * loops is ended with the thread in which scripts run.
 */

const memoryPages = 1024;
const depth = 100;
const mostCharacters = 5_000_000;

let module: Promise<WebAssembly.Module> | undefined;
let jqInstance: Jq | undefined;

/** Awaited before a script that may call jq. */
export async function readyJq(): Promise<void> {
  module ??= readFile(createRequire(import.meta.url).resolve("jq-wasm/jq.wasm")).then((bytes) =>
    WebAssembly.compile(withMemoryLimit(bytes, memoryPages)),
  );
  jqInstance ??= await loadJq({ wasmModule: await module });
}

/** The value that the filter finds; a list of them, unless it is one. */
export function jq(filter: string, document: Value): Value {
  const { json } = toJson(document, { depth });
  if (!jqInstance) throw new Error("jq is not ready: await readyJq() between evaluations");
  const { stdout, stderr, exitCode } = run(jqInstance, filter, json);
  if (exitCode !== 0) {
    const [, said = stderr] = /^jq: error(?: \(at [^)]*\))?: (.*)/.exec(stderr) ?? [];
    throw new Error(`jq: ${said.split("\n")[0]!.slice(0, 500)}`);
  }
  if (stdout.length > mostCharacters)
    throw new Error(`jq: finds more than ${mostCharacters} characters`);
  const found = stdout.split("\n").filter((line) => line !== "");
  const values = found.map((line) => JSON.parse(line) as Value);
  return values.length === 1 ? values[0]! : values;
}

function run(instance: Jq, filter: string, json: string) {
  try {
    // A filter that begins with a minus would be taken for an option.
    return instance.raw(json, filter.startsWith("-") ? ` ${filter}` : filter, ["-c"]);
  } catch (error) {
    jqInstance = undefined;
    throw new Error("jq: needs more memory than a script may have, or is nested too deeply", {
      cause: error,
    });
  }
}

/**
 * The same program, whose memory cannot grow beyond so many pages: the upper limit that its memory section names
 * (WebAssembly Core, 5.5.8) is written anew, in as many bytes.
 */
export function withMemoryLimit(program: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program);
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at]!;
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const section = bytes[at];
    at += 1;
    const end = number() + at;
    if (section === 5) {
      if (number() !== 1 || bytes[at] !== 1) break;
      at += 1;
      number();
      const start = at;
      number();
      for (let index = start; index < at; index++)
        bytes[index] = ((pages >>> (7 * (index - start))) & 0x7f) | (index < at - 1 ? 0x80 : 0);
      if (pages >>> (7 * (at - start))) break;
      return bytes;
    }
    at = end;
  }
  throw new Error("this WebAssembly has no memory whose limit could be lowered");
}
