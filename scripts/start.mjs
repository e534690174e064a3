// `npm start`: installs what is missing, builds the console and the program when they have changed, and becomes the
// server.
import { spawn } from "node:child_process";
import {
  compiled,
  environment,
  installDependencies,
  node,
  serverEnvironment,
  serverFlags,
} from "./install.mjs";

installDependencies();
const { buildConsole } = await import("./build-console.mjs");
buildConsole();
const { programToStart } = await import("./build-program.mjs");
const program = programToStart();

const server = spawn(node, [...serverFlags, program, "serve", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...serverEnvironment, NODE_COMPILE_CACHE: compiled, ...environment },
});
// The terminal sends Ctrl-C to both; a signal sent only to us is passed on. The server ends in its own time.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
