// `npm run bench [name]`: prints figures beside a baseline of the same minute; asserts nothing. Soaks (`*.soak.ts`,
// minutes long, with an exit status) run only when named: `npm run bench kill-loop -- 20`.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { installDependencies, node, root, run } from "./install.mjs";
import { installPeers } from "./peers.mjs";

installDependencies();
installPeers(["wrk"]);
const [wanted, ...args] = process.argv.slice(2);
const all = readdirSync(join(root, "bench")).filter((name) => /\.(bench|soak)\.ts$/.test(name));
const chosen = wanted
  ? all.filter((name) => name.startsWith(`${wanted}.`))
  : all.filter((name) => name.endsWith(".bench.ts"));
if (chosen.length === 0) {
  console.error(`No benchmark is called ${wanted}; there are: ${all.join(", ")}`);
  process.exit(1);
}
for (const name of chosen) {
  console.log(`\n== ${name}`);
  run(node, [join(root, "bench", name), ...args]);
}
