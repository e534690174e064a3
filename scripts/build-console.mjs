// Builds the console when its sources are not those that were built, and compresses the files once, at the highest
// level. With `gallery`: the console of development, which has the gallery of all parts; only tests want it.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { environment, root, run } from "./install.mjs";
import { fingerprintOf } from "./sources.mjs";

const sources = ["apps/console", "packages/ui/src", "packages/contract/src"];
const workspace = join(root, "apps/console");
const dist = join(workspace, "dist");
/** What is built for tests alone. */
const cache = join(workspace, ".cache");
const compressible = /\.(js|css|html|svg|json|txt|map|ico)$/;

/** Builds into `folder` unless it holds these sources already; `finish` completes what was built. */
function build(what, folder, args, env, finish) {
  const stamp = join(folder, ".sources");
  const wanted = fingerprintOf(sources);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log(`Building ${what} ...`);
  run("vite", ["build", "--logLevel", "warn", "--outDir", folder, "--emptyOutDir", ...args], {
    cwd: workspace,
    env: { ...environment, ...env },
  });
  finish();
  writeFileSync(stamp, wanted);
}

/** The console as it is delivered; what Vite knows of its files lies in `.cache/console.json`. */
export function buildConsole() {
  build("the console", dist, ["--manifest", "manifest.json"], {}, () => {
    mkdirSync(cache, { recursive: true });
    renameSync(join(dist, "manifest.json"), join(cache, "console.json"));
    for (const file of everyFile(dist)) compress(file);
  });
}

/** The console as it is in development, in `.cache/gallery`. */
export function buildGallery() {
  const args = ["--mode", "development", "--manifest", "manifest.json"];
  build("the gallery", join(cache, "gallery"), args, { NODE_ENV: "development" }, () => {});
}

function compress(file) {
  // The marks of technologies are a thousand small files of which a page shows a few.
  if (!compressible.test(file) || file.includes("/marks-")) return;
  const content = readFileSync(file);
  if (content.length < 1024) return;
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
  );
}

function everyFile(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  buildConsole();
  if (process.argv.includes("gallery")) buildGallery();
}
