import { join } from "node:path";
import type { StartOptions } from "../apps/e2e/src/server.ts";

// Plain JavaScript, which has no types.
const script = (name: string): Promise<unknown> =>
  import(join(import.meta.dirname, "../scripts", name));
const { compiled, serverEnvironment, serverFlags } = (await script("install.mjs")) as {
  compiled: string;
  serverEnvironment: Record<string, string>;
  serverFlags: string[];
};
const { buildProgram } = (await script("build-program.mjs")) as { buildProgram(): string };

/** The server as `npm start` runs it. */
export function asStarted(env: Record<string, string>): StartOptions {
  return {
    command: [process.execPath, ...serverFlags, buildProgram(), "serve"],
    env: { ...serverEnvironment, NODE_COMPILE_CACHE: compiled, ...env },
  };
}
