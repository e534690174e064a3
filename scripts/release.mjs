// `npm run release [directory]`: compiled JavaScript (Node strips no types below node_modules), the built console, the
// SQL, in one package; prints the path of the tarball.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { installDependencies, root, run } from "./install.mjs";

installDependencies();
const { buildConsole } = await import("./build-console.mjs");
buildConsole();
const { bundleProgram } = await import("./build-program.mjs");

const target = resolve(process.argv[2] ?? join(root, "dist"));
const stage = join(target, "package");
const dist = join(stage, "dist");
rmSync(stage, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

// What is found beside a module (SQL, package.json) comes to where it lay beside it.
bundleProgram(dist);

const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const copy = (path) => cpSync(join(root, path), join(dist, path), { recursive: true });
copy("apps/server/db/migrations");
copy("apps/console/dist");
for (const file of globSync("apps/server/src/**/*.sql", { cwd: root })) copy(file);

const server = read("apps/server/package.json");
const parts = ["contract", "data-api", "embedded-postgres", "scripting"].map((name) =>
  read(`packages/${name}/package.json`),
);
const merged = (field) =>
  Object.fromEntries(
    [server, ...parts]
      .flatMap((part) => Object.entries(part[field] ?? {}))
      .filter(([name]) => !name.startsWith("@mainstay/"))
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
const pinnedNode = read("package.json").devDependencies.node;
mkdirSync(join(dist, "apps/server"), { recursive: true });
writeFileSync(
  join(dist, "apps/server/package.json"),
  JSON.stringify({ version: server.version, type: "module" }),
);
writeFileSync(
  join(stage, "package.json"),
  `${JSON.stringify(
    {
      name: server.name,
      version: server.version,
      description: server.description,
      license: server.license,
      type: "module",
      bin: { mainstay: "bin/mainstay.js" },
      files: ["bin", "dist"],
      engines: { node: ">=20" },
      dependencies: { ...merged("dependencies"), node: pinnedNode },
      optionalDependencies: merged("optionalDependencies"),
    },
    undefined,
    2,
  )}\n`,
);
cpSync(join(root, "scripts/release-launcher.js"), join(stage, "bin/mainstay.js"));
for (const name of ["LICENSE", "README.md"]) cpSync(join(root, name), join(stage, name));
run("npm", ["pack", stage, "--pack-destination", target, "--loglevel=error"], {
  cwd: dirname(stage),
  stdio: ["ignore", "ignore", "inherit"],
});
console.log(join(target, `${server.name}-${server.version}.tgz`));
