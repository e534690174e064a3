// `npm run dev`: the server restarts when its code changes, the console reloads in place. One address for both.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { environment, installDependencies, node, root } from "./install.mjs";

installDependencies();
const children = [
  spawn(
    node,
    ["--watch", "--watch-preserve-output", join(root, "apps/server/src/main.ts"), "serve"],
    {
      stdio: "inherit",
      env: { ...environment, LOG_LEVEL: environment.LOG_LEVEL ?? "debug" },
    },
  ),
  spawn("vite", ["--clearScreen", "false"], {
    stdio: "inherit",
    cwd: join(root, "apps/console"),
    env: environment,
  }),
];
const stop = (signal) => children.forEach((child) => child.kill(signal));
process.on("SIGINT", () => {});
process.on("SIGTERM", () => stop("SIGTERM"));
for (const child of children) {
  child.on("exit", (code) => {
    stop("SIGTERM");
    process.exitCode ||= code ?? 1;
  });
}
