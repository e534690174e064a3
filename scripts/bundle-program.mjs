// `node scripts/bundle-program.mjs here|release folder`, on the pinned Node: the bundler does not run on every Node 20.
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./install.mjs";

// The server's, in its version; what lies at the root is Vite's.
const { rolldown } = createRequire(join(root, "apps/server/package.json"))("rolldown");

/** Libraries of many modules and no files of their own. */
const bundled = /^(?:zod|commander|yaml|sql-template-tag|ipaddr\.js|lru-cache|tldts|jose)(?:\/|$)/;
const isOurs = (id) => /^[./#]/.test(id) || id.startsWith("@mainstay/");

/** Threads are started from their files, which nothing imports. */
const threads = [
  "packages/scripting/src/worker/thread.ts",
  "apps/server/src/features/catalog/changes/difference-thread.ts",
  "apps/server/src/features/catalog/scraping/yaml-thread.ts",
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

const main = "apps/server/src/main.ts";
const [kind, dir] = process.argv.slice(2);
if (kind === "release") {
  // The program and its threads, complete but for what is no code.
  const inputs = [main, ...threads].map((file) => [file.replace(/\.ts$/, ""), join(root, file)]);
  await bundle(Object.fromEntries(inputs), dir, withinBundle);
} else await bundle({ main: join(root, main) }, dir, whereWritten);
