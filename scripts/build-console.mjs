// Builds the console when its sources are newer than what was built, and compresses the files once, at the highest level.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { root, run } from "./install.mjs";

const sources = ["apps/console", "packages/ui/src", "packages/contract/src"];
const dist = join(root, "apps/console/dist");
const stamp = join(dist, ".sources");
const compressible = /\.(js|css|html|svg|json|txt|map|ico)$/;

function* files(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.name === "node_modules" || entry.name === "dist") continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const source of [...sources, "package-lock.json"]) {
    const path = join(root, source);
    for (const file of statSync(path).isDirectory() ? files(path) : [path]) {
      hash.update(file.slice(root.length)).update(readFileSync(file));
    }
  }
  return hash.digest("hex");
}

export function buildConsole() {
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("Building the console ...");
  run("vite", ["build", "--logLevel", "warn"], { cwd: join(root, "apps/console") });
  for (const file of everyFile(dist)) {
    // The marks of technologies are a thousand small files of which a page shows a few.
    if (!compressible.test(file) || file.includes("/marks-")) continue;
    const content = readFileSync(file);
    if (content.length < 1024) continue;
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
  writeFileSync(stamp, wanted);
}

function everyFile(directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === new URL(import.meta.url).pathname) buildConsole();
