// `npm start`: installs what is missing, builds the console when it has changed, and becomes the server.
import { spawn } from "node:child_process";
import { join } from "node:path";
import {
  environment,
  installDependencies,
  node,
  root,
  serverEnvironment,
  serverFlags,
} from "./install.mjs";

installDependencies();
const { buildConsole } = await import("./build-console.mjs");
buildConsole();

const server = spawn(
  node,
  [...serverFlags, join(root, "apps/server/src/main.ts"), "serve", ...process.argv.slice(2)],
  {
    stdio: "inherit",
    env: { ...serverEnvironment, ...environment },
  },
);
// The terminal sends Ctrl-C to both; a signal sent only to us is passed on. The server ends in its own time.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => server.kill(signal));
server.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
