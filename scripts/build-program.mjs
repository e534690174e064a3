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
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./install.mjs";
import { fingerprintOf } from "./sources.mjs";

const parts = [
  "apps/server",
  ...["contract", "data-api", "embedded-postgres", "scripting"].map((name) => `packages/${name}`),
];
/** Below the workspace, where its libraries are found. */
const folder = join(root, "apps/server/node_modules/.cache/program");
/** So many are kept: one that runs reads parts of it only when they are used. */
const most = 30;

/** Libraries of many modules and no files of their own. */
const bundled = /^(?:zod|commander|yaml|sql-template-tag|ipaddr\.js|lru-cache|tldts|jose)(?:\/|$)/;
const isOurs = (id) => /^[./#]/.test(id) || id.startsWith("@mainstay/");

/** Threads are started from their files, which nothing imports. */
const threads = [
  "packages/scripting/src/worker/thread.ts",
  "apps/server/src/features/catalog/changes/difference-thread.ts",
];

/** Stands for the way from a file of the bundle to its root, until it is known which file a module comes to. */
const up = "__way-up__/";

/** Where a module of this workspace says that it lies: where it was written. */
const whereWritten = (path) => JSON.stringify(pathToFileURL(join(root, path)).href);
/** Below the bundle, as it lay in the workspace. */
const withinBundle = (path) =>
  `new URL(${JSON.stringify(up + path.replace(/\.ts$/, ".js"))}, import.meta.url).href`;

/** A file with one character beyond Latin-1 stays in memory with two bytes for each of its characters. */
const asAscii = (code) =>
  code.replaceAll(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** `inputs` by the names of their files; what else they need lies beside the first. */
async function bundle(inputs, dir, placeOf) {
  const { rolldown } = await import("rolldown");
  const made = await rolldown({
    input: inputs,
    platform: "node",
    logLevel: "warn",
    external: (id) => !isOurs(id) && !bundled.test(id),
    plugins: [
      {
        name: "places",
        transform: (code, id) =>
          id.includes("/node_modules/") || !code.includes("import.meta.url")
            ? undefined
            : code.replaceAll("import.meta.url", placeOf(relative(root, id))),
        renderChunk: (code, { fileName }) =>
          code.includes(up)
            ? code.replaceAll(up, "../".repeat(fileName.split("/").length - 1) || "./")
            : undefined,
        generateBundle: (_, files) => {
          for (const file of Object.values(files))
            if (file.type === "chunk") file.code = asAscii(file.code);
        },
      },
    ],
  });
  await made.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    sourcemap: false,
  });
  await made.close();
}

/** The program and its threads, complete but for what is no code, into `dir`. */
export const bundleProgram = (dir) =>
  bundle(
    Object.fromEntries(
      ["apps/server/src/main.ts", ...threads].map((file) => [
        file.replace(/\.ts$/, ""),
        join(root, file),
      ]),
    ),
    dir,
    withinBundle,
  );

/**
 * The program of these sources, bundled unless it is there already. SQL and threads are taken from where they were
 * written. Returns the file to start: the same one for the same sources, so that what Node.js has compiled is of use.
 */
export async function buildProgram() {
  // It says where its modules lie: in another place it is another program.
  const name = fingerprintOf([...parts, "scripts/build-program.mjs"], root).slice(0, 16);
  const place = join(folder, name);
  if (!existsSync(place)) {
    console.log("Building the program ...");
    mkdirSync(folder, { recursive: true });
    const made = mkdtempSync(join(folder, "making-"));
    await bundle({ main: join(root, "apps/server/src/main.ts") }, made, whereWritten);
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
  for (const one of byAge.slice(most)) rmSync(one, { recursive: true, force: true });
}

/** Set-up of the tests, which find the program by `programFile`. */
export default async function setup() {
  process.env.MAINSTAY_PROGRAM = await buildProgram();
}
