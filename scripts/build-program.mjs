// The program in a few files instead of a thousand: finding, reading and stripping its modules is more than half of the
// work of a start, and 30 MB that stay. `npm start` and the tests run what `buildProgram` makes; `release.mjs` packs it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { node, root, run } from "./install.mjs";
import { fingerprintOf } from "./sources.mjs";

const parts = [
  "apps/server",
  ...["contract", "data-api", "embedded-postgres", "scripting"].map((name) => `packages/${name}`),
];
/** Below the workspace, where its libraries are found. */
const folder = join(root, "apps/server/node_modules/.cache/program");
/** So many are kept, and all that are younger than a week: one that runs reads parts of it only when they are used. */
const most = 30;
const weekMs = 7 * 24 * 60 * 60 * 1000;

/** @param kind `here`: SQL and threads are taken from where they were written; `release`: from below `dir`. */
const bundle = (kind, dir) => run(node, [join(root, "scripts/bundle-program.mjs"), kind, dir]);

/** The program and its threads, complete but for what is no code, into `dir`. */
export const bundleProgram = (dir) => bundle("release", dir);

/**
 * The program of these sources, bundled unless it is there already. SQL and threads are taken from where they were
 * written. Returns the file to start: the same one for the same sources, so that what Node.js has compiled is of use.
 */
export function buildProgram() {
  // It says where its modules lie: in another place it is another program.
  const name = fingerprintOf([...parts, "scripts/bundle-program.mjs"], root).slice(0, 16);
  const place = join(folder, name);
  if (!existsSync(place)) {
    console.log("Building the program ...");
    mkdirSync(folder, { recursive: true });
    const made = mkdtempSync(join(folder, "making-"));
    bundle("here", made);
    writeFileSync(join(made, "package.json"), '{"type":"module"}');
    // Whoever starts it need not be who installed it.
    chmodSync(made, 0o755);
    // Another start may have been quicker.
    try {
      renameSync(made, place);
    } catch (error) {
      if (!existsSync(place)) throw error;
      rmSync(made, { recursive: true, force: true });
    }
    removeOldest();
  }
  return join(place, "main.js");
}

function removeOldest() {
  const all = readdirSync(folder).map((name) => join(folder, name));
  // Another start may take away what it made.
  const madeAt = (one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const byAge = all.toSorted((a, b) => madeAt(b) - madeAt(a));
  const old = byAge.slice(most).filter((one) => madeAt(one) < Date.now() - weekMs);
  for (const one of old) rmSync(one, { recursive: true, force: true });
}

/** Where nothing can be written, what it is made of is started instead: slower, and with more memory. */
export function programToStart() {
  try {
    return buildProgram();
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(error.code)) throw error;
    console.log(`The program is started as it is, unbuilt: ${error.message}`);
    return join(root, "apps/server/src/main.ts");
  }
}

/** Set-up of the tests, which find the program by `programFile`. */
export default function setup() {
  process.env.MAINSTAY_PROGRAM = buildProgram();
}
