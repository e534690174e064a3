import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { programSource } from "@mainstay/testkit/program-file.ts";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
/** Below the workspace, where its libraries are found. */
const folder = join(root, "apps/server/node_modules/.cache/program");
/** So long a bundle is kept that no run has asked for: longer than a run takes. */
const keptMs = 86_400_000;

/** Libraries of many modules and no files of their own. */
const bundled = /^(?:zod|commander|yaml|sql-template-tag|ipaddr\.js|lru-cache|tldts|jose)(?:\/|$)/;
const isOurs = (id: string) => /^[./#]/.test(id) || id.startsWith("@mainstay/");

/**
 * The program in a few files instead of a thousand, for tests that start it again and again: finding and reading its
 * modules is more than half of what a start takes. A module still says that it lies where it was written, so that all
 * that is found beside it is found: SQL, and threads, which run from the source. Tests find it by `programFile`.
 */
export default async function setup(): Promise<void> {
  process.env["MAINSTAY_PROGRAM"] = await bundleProgram();
}

/** Returns the file to start. The same source has the same file, so that what Node.js has compiled of it is of use. */
async function bundleProgram(): Promise<string> {
  const bundle = await rolldown({
    input: programSource,
    platform: "node",
    logLevel: "warn",
    external: (id) => !isOurs(id) && !bundled.test(id),
    plugins: [
      {
        name: "places",
        transform(code, id) {
          if (id.includes("/node_modules/") || !code.includes("import.meta.")) return undefined;
          return code
            .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
            .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)));
        },
      },
    ],
  });
  mkdirSync(folder, { recursive: true });
  const made = mkdtempSync(join(folder, "making-"));
  const { output } = await bundle.write({ dir: made, format: "esm", sourcemap: false });
  await bundle.close();
  writeFileSync(join(made, "package.json"), '{"type":"module"}');
  const hash = createHash("sha256");
  for (const file of output) hash.update(file.type === "chunk" ? file.code : file.source);
  const place = join(folder, hash.digest("hex").slice(0, 16));
  // Another run may be starting the same one.
  if (existsSync(place)) rmSync(made, { recursive: true });
  else renameSync(made, place);
  const now = new Date();
  utimesSync(place, now, now);
  for (const name of readdirSync(folder))
    if (statSync(join(folder, name)).mtimeMs < now.getTime() - keptMs)
      rmSync(join(folder, name), { recursive: true, force: true });
  return join(place, "main.js");
}
