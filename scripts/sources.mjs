import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";

/** Neither sources nor part of what is built: installed, built, or for tests alone. */
const passedOver = ["node_modules", "dist", ".cache"];
const isTest = /\.test\.tsx?$/;

function* files(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (passedOver.includes(entry.name) || isTest.test(entry.name)) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

/** Says whether files and folders of the workspace, and what is installed, are still what they were; with `more`, that too. */
export function fingerprintOf(sources, more = "") {
  const hash = createHash("sha256").update(more);
  for (const source of [...sources, "package-lock.json"]) {
    const path = join(root, source);
    for (const file of statSync(path).isDirectory() ? files(path) : [path])
      hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest("hex");
}
