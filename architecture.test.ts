import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

/**
 * Who may import whom, as docs/architecture.md draws it. Every import is read, static, type-only and dynamic. New
 * features need no entry here: their tier is where the server's `features.ts` lists them.
 */

const root = import.meta.dirname;
const tierNames = ["ground", "observe", "respond"] as const;

/** Features that the server has none of; the others are where its `features.ts` lists them. */
const consoleOnly: Readonly<Record<string, (typeof tierNames)[number]>> = {
  help: "ground",
  // The settings of logs, beside their screen.
  "log-backends": "observe",
  palette: "ground",
  relationships: "observe",
};

const listed = tierNames.flatMap((name, tier) => {
  const text = readFileSync(join(root, "apps/server/src/features.ts"), "utf8");
  const list = new RegExp(`^  ${name}: \\[([^\\]]*)\\]`, "m").exec(text);
  if (!list) throw new Error(`apps/server/src/features.ts has no list of the tier ${name}.`);
  return [...list[1]!.matchAll(/\w+/g)].map(([feature]) => ({ feature, tier }));
});
const tiers = new Map<string, number>([
  ...listed.map(({ feature, tier }) => [feature, tier] as const),
  ...Object.entries(consoleOnly).map(
    ([feature, tier]) => [feature, tierNames.indexOf(tier)] as const,
  ),
]);
/** In the ground each imports those before it; what only the console has comes after them. */
const places = new Map([...tiers.keys()].map((feature, place) => [feature, place]));

interface Import {
  from: string;
  specifier: string;
  line: number;
}

const files = globSync("{apps,packages}/*/src/**/*.{ts,tsx}", { cwd: root }).toSorted();

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  const found = [
    ...module.staticImports.map((item) => ({
      specifier: item.moduleRequest.value,
      at: item.start,
    })),
    ...module.staticExports.flatMap((item) =>
      item.entries.flatMap((entry) =>
        entry.moduleRequest ? [{ specifier: entry.moduleRequest.value, at: item.start }] : [],
      ),
    ),
    ...module.dynamicImports.flatMap((item) => {
      const argument = text.slice(item.moduleRequest.start, item.moduleRequest.end);
      return /^["'`]/.test(argument) ? [{ specifier: argument.slice(1, -1), at: item.start }] : [];
    }),
  ];
  return found.map(({ specifier, at }) => ({ from: file, specifier, line: lineAt(at) }));
}

const imports = files.flatMap(importsOf);

/** The file of this repository that an import means, or undefined for a package from outside. */
function target({ from, specifier }: Import): string | undefined {
  const workspace = from.split("/").slice(0, 2).join("/");
  if (specifier.startsWith(".")) return relative(root, join(root, dirname(from), specifier));
  if (specifier.startsWith("#")) return `${workspace}/src/${specifier.slice(1)}`;
  const own = /^@mainstay\/([\w-]+)(?:\/(.*))?$/.exec(specifier);
  if (own) return `packages/${own[1]}/src/${own[2] ?? "index.ts"}`;
  return undefined;
}

const isTest = (file: string) => /\.test\.tsx?$|\/testing\//.test(file);
const featureOf = (file: string) =>
  /^apps\/(?:server|console)\/src\/features\/([\w-]+)\//.exec(file)?.[1];
const layerOf = (file: string) =>
  /^apps\/(?:server|console)\/src\/(platform|lib|features|app)\b/.exec(file)?.[1];
const layers: Record<string, number> = { platform: 0, lib: 0, features: 1, app: 2 };

function offences(rule: (item: Import, to: string) => string | undefined): string[] {
  return imports.flatMap((item) => {
    const to = target(item);
    const offence = to === undefined ? undefined : rule(item, to);
    return offence ? [`${item.from}:${item.line} imports ${item.specifier}: ${offence}`] : [];
  });
}

test("files were seen, and their imports", () => {
  expect(files.length).toBeGreaterThan(100);
  expect(imports.length).toBeGreaterThan(400);
});

test("packages import no app, and contract imports nothing of ours", () => {
  const found = offences(({ from }, to) => {
    if (!from.startsWith("packages/")) return undefined;
    if (to.startsWith("apps/")) return "a package knows no app; hand it in as an argument";
    const [own, other] = [from, to].map((file) => file.split("/")[1]!);
    if (own === other || isTest(from)) return undefined;
    if (own === "contract") return "contract is imported by everything and imports nothing";
    if (own === "ui" || own === "data-api")
      return "this package knows no product noun; hand it in as an argument";
    return undefined;
  });
  expect(found).toEqual([]);
});

test("server and console meet in contract only", () => {
  const found = offences(({ from }, to) => {
    const [own, other] = [from, to].map((file) => /^apps\/(\w+)/.exec(file)?.[1]);
    return own && other && own !== other
      ? "apps do not import each other; share it in packages/contract"
      : undefined;
  });
  expect(found).toEqual([]);
});

test("platform and lib are below the features, which are below the app", () => {
  const found = offences(({ from }, to) => {
    const [own, other] = [layerOf(from), layerOf(to)];
    if (!own || !other || isTest(from)) return undefined;
    return layers[own]! < layers[other]!
      ? `${own} is below ${other}; hand it in as an argument`
      : undefined;
  });
  expect(found).toEqual([]);
});

test("a feature enters another by its index.ts, and never one of a higher tier", () => {
  const found = offences(({ from }, to) => {
    const [own, other] = [featureOf(from), featureOf(to)];
    if (!own || !other || own === other || isTest(from)) return undefined;
    if (!/\/features\/[\w-]+\/index\.tsx?$/.test(to)) return `enter ${other} through its index.ts`;
    // Those without a tier are refused below.
    const [from_, to_] = [tiers.get(own) ?? 0, tiers.get(other) ?? 0];
    if (from_ < to_) return `${other} is in a higher tier; use an event or a slot`;
    if (from_ === 0 && places.get(own)! < places.get(other)!)
      return `${other} comes after ${own} in the ground; put it before, or use an event`;
    return undefined;
  });
  expect(found).toEqual([]);
});

test("every feature has a tier", () => {
  const folders = [
    ...new Set(
      files.flatMap((file) => {
        const feature = featureOf(file);
        return feature === undefined ? [] : [feature];
      }),
    ),
  ];
  expect(folders.length).toBeGreaterThan(15);
  expect(
    folders.filter((feature) => !tiers.has(feature)),
    "list it in apps/server/src/features.ts",
  ).toEqual([]);
  expect(
    [...tiers.keys()]
      .filter((feature) => !folders.includes(feature))
      .filter((feature) => !(feature in consoleOnly)),
  ).toEqual([]);
});

/**
 * Whose a table or view is: the feature's that shows it in its `tables.ts`, that makes it in its `views.sql`, or after
 * which the migration is called that makes it.
 */
function ownersOfTables(): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const features = listed.map(({ feature }) => feature);
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  for (const file of globSync("apps/server/db/migrations/*.sql", { cwd: root }).toSorted()) {
    const owner = features.find((feature) => new RegExp(`_${feature}\\b|_${feature}_`).test(file));
    for (const [, table] of read(file).matchAll(/^create table (\w+)/gm))
      if (owner !== undefined) owners.set(table!, owner);
  }
  for (const feature of features)
    for (const file of files.filter(
      (file) => file.startsWith(`apps/server/src/features/${feature}/`) && !isTest(file),
    ))
      for (const [, table] of read(file).matchAll(/\btable\("(\w+)"/g)) owners.set(table!, feature);
  for (const file of globSync("apps/server/src/features/*/views.sql", { cwd: root }))
    for (const [, view] of read(file).matchAll(/^create view (\w+)/gm))
      owners.set(view!, file.split("/").at(-2)!);
  return owners;
}

test("no views.sql reads a table of a higher tier", () => {
  const owners = ownersOfTables();
  expect([owners.get("people"), owners.get("checks"), owners.get("config_items")]).toEqual([
    "people",
    "health",
    "catalog",
  ]);
  const found = globSync("apps/server/src/features/*/views.sql", { cwd: root }).flatMap((file) => {
    const feature = file.split("/").at(-2)!;
    const text = readFileSync(join(root, file), "utf8").replace(/--.*$/gm, "");
    return [...owners].flatMap(([table, owner]) =>
      tiers.get(owner)! > tiers.get(feature)! && new RegExp(`\\b${table}\\b`).test(text)
        ? [`${feature} reads ${table} of ${owner}`]
        : [],
    );
  });
  expect(found, "let the higher feature declare it, or raise an event").toEqual([]);
});

/** On the server one role has one name of a file, in every feature. */
const roles: readonly { role: string; says: RegExp; file: RegExp; besides?: readonly string[] }[] =
  [
    {
      role: "routes",
      says: /\bhttp\.(get|post|put|patch|delete)\(/,
      file: /\/routes\.ts$/,
      besides: [
        // Everything below one address goes on to somebody else.
        "identity/external/kratos-proxy.ts",
      ],
    },
    { role: "tables of the data API", says: /\btable\("/, file: /\/(tables|[\w-]+-table)\.ts$/ },
    { role: "settings", says: /\bdefineSettings\(/, file: /\/settings\.ts$/ },
    {
      role: "what cleans up",
      says: /\bcleanupJob\(|\bScheduledJob\b/,
      file: /\/clean-up\.ts$/,
      besides: [
        "health/relationships/relate-checks.ts",
        "health/self-checks.ts",
        "topology/relating/jobs.ts",
      ],
    },
    { role: "facts about security", says: /\bfactsThatHold\(\[/, file: /\/[\w-]+-facts\.ts$/ },
  ];

test.each(roles)("on the server $role are in files of one name", ({ says, file, besides = [] }) => {
  const own = files.filter((path) => path.startsWith("apps/server/src/features/") && !isTest(path));
  const found = own.filter((path) => says.test(readFileSync(join(root, path), "utf8")));
  expect(found.length).toBeGreaterThan(2);
  const known = besides.map((path) => `apps/server/src/features/${path}`);
  expect(found.filter((path) => !file.test(path)).toSorted()).toEqual(known);
});

/** What these modules are imported for without opening anything. */
const openNothing = new Set(["isIP", "isIPv4", "isIPv6", "STATUS_CODES", "getServers"]);
/** The one address that each of these asks is in the server's settings, and it sends on what a browser asked. */
const mayAsk = new Set(["apps/server/src/features/identity/external/kratos-proxy.ts"]);

test("features reach outside through platform/outbound alone", () => {
  const own = files.filter((file) => file.startsWith("apps/server/src/features/") && !isTest(file));
  expect(own.length).toBeGreaterThan(100);
  const opening = /^(node:)?(net|tls|http|https|http2|dgram|dns|dns\/promises)$|^undici$/;
  const found = own.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const { module } = parseSync(file, text);
    const imported = module.staticImports
      .filter(({ moduleRequest }) => opening.test(moduleRequest.value))
      .flatMap(({ entries }) => entries.filter(({ isType }) => !isType))
      .map(({ importName }) => importName.name ?? "everything")
      .filter((name) => !openNothing.has(name));
    const loaded = module.dynamicImports
      .map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1))
      .filter((specifier) => opening.test(specifier));
    const global = /(?<![.\w])(?:fetch|WebSocket|EventSource)\(/.exec(text) ?? [];
    const names = [...imported, ...loaded, ...global];
    return names.length > 0 ? [{ file, names }] : [];
  });
  const offending = found.filter(({ file }) => !mayAsk.has(file));
  expect(offending, "open it with the connector, or ask with http/exchange.ts").toEqual([]);
  expect(found.map(({ file }) => file)).toEqual([...mayAsk]);
});

/** What only features speak of. */
const nouns =
  /canar|kratos|topolog|incident|playbook|scraper|silence|hosted|invitation|\boidc|heartbeat|\bteams?\b|\bchecks\b/i;
/** Names of the wire and of libraries that sound like it, by file. */
const soundsLikeIt: Readonly<Record<string, RegExp>> = {
  "platform/config.ts": /checks/,
  "platform/exposure.ts": /checks/,
  "platform/require-code.ts": /checks/,
  // The job queue's own.
  "platform/jobs/queue.ts": /heartbeat/i,
};

test("the platform, the stream of changes and the program itself name no capability of the product", () => {
  const own = files.filter(
    (file) =>
      /^apps\/server\/src\/(platform\/|features\/live\/|(app|schema)\.ts$)/.test(file) &&
      !isTest(file),
  );
  expect(own.length).toBeGreaterThan(60);
  const found = own.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    // A comment may say what something is good for.
    const code = parseSync(file, text).comments.reduceRight(
      (rest, { start, end }) =>
        rest.slice(0, start) + rest.slice(start, end).replace(/[^\n]/g, " ") + rest.slice(end),
      text,
    );
    const allowed = soundsLikeIt[file.replace("apps/server/src/", "")];
    return code.split("\n").flatMap((line, index) => {
      const noun = nouns.exec(allowed ? line.replace(new RegExp(allowed, "gi"), "") : line);
      return noun ? [`${file}:${index + 1} says ${noun[0]}: let the feature declare it`] : [];
    });
  });
  expect(found).toEqual([]);
  const features = offences(({ from }, to) =>
    /^apps\/server\/src\/(app|schema|settings)\.ts$/.test(from) && featureOf(to) !== undefined
      ? "take it from what features.ts lists"
      : undefined,
  );
  expect(features).toEqual([]);
});

test("what is imported is listed in the package.json of its workspace", () => {
  const found = imports.flatMap(({ from, specifier, line }) => {
    if (/^[.#]|^node:|^virtual:/.test(specifier)) return [];
    const workspace = from.split("/").slice(0, 2).join("/");
    const read = (path: string) =>
      JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as Record<
        string,
        Record<string, string>
      >;
    const own = read(workspace);
    const name = specifier.startsWith("@")
      ? specifier.split("/").slice(0, 2).join("/")
      : specifier.split("/")[0]!;
    const listed = { ...own.dependencies, ...own.optionalDependencies, ...own.peerDependencies };
    const inDevelopment = { ...own.devDependencies, ...read(".").devDependencies };
    const types = `@types/${name.replace("@", "").replace("/", "__")}`;
    if (name in listed || (isTest(from) && name in inDevelopment) || types in inDevelopment)
      return [];
    if (/^(packages\/testkit|apps\/e2e)\//.test(from) && name in inDevelopment) return [];
    return [`${from}:${line} imports ${specifier}: add ${name} to ${workspace}/package.json`];
  });
  expect(found).toEqual([]);
});

/** Levels 1 and 2 of the chapters that docs/security/asvs.md is about; in a row, the numbers of a section. */
const requirements = Object.entries({
  "6.1": [1, 2, 3],
  "6.2": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  "6.3": [1, 2, 3, 4],
  "6.4": [1, 2, 3, 4],
  "6.5": [1, 2, 3, 4, 5],
  "6.6": [1, 2, 3],
  "6.8": [1, 2, 3, 4],
  "7.1": [1, 2, 3],
  "7.2": [1, 2, 3, 4],
  "7.3": [1, 2],
  "7.4": [1, 2, 3, 4, 5],
  "7.5": [1, 2],
  "7.6": [1, 2],
  "8.1": [1, 2],
  "8.2": [1, 2, 3],
  "8.3": [1],
  "8.4": [1],
}).flatMap(([section, numbers]) => numbers.map((number) => `${section}.${number}`));

test("the map of ASVS judges every requirement, and every gap is in its table", () => {
  const map = readFileSync(join(root, "docs/security/asvs.md"), "utf8");
  const judged = [...map.matchAll(/^- (\d\.\d\.\d+) \([12]\) \*\*(met|partly|gap|n\/a)\*\* /gm)];
  expect(judged.map(([, number]) => number)).toEqual(requirements);
  const lacking = judged.filter(([, , verdict]) => verdict === "partly" || verdict === "gap");
  const listed = [...map.matchAll(/^\| (\d\.\d\.\d+) \|/gm)].map(([, number]) => number);
  expect(listed).toEqual(lacking.map(([, number]) => number));
});

/** What a page of docs/security says is shown by which test, and how many names of files stand there besides. */
function testsNamedIn(page: string): {
  named: RegExpExecArray[];
  missing: string[];
  loose: number;
} {
  const text = readFileSync(join(root, "docs/security", page), "utf8");
  const named = [...text.matchAll(/`([^`]+\.test\.tsx?)` «([^»]+)»/g)];
  const missing = named.filter(([, path, title]) => {
    const file = ["", "apps/server/src/", "apps/server/src/features/"]
      .map((folder) => join(root, folder + path))
      .find((candidate) => existsSync(candidate));
    return !file || !readFileSync(file, "utf8").includes(JSON.stringify(title));
  });
  return {
    named,
    missing: missing.map(([, path, title]) => `${path}: ${title}`),
    loose: [...text.matchAll(/\.test\.tsx?/g)].length - named.length,
  };
}

test("the tests that the map of ASVS names are there", () => {
  const { named, missing, loose } = testsNamedIn("asvs.md");
  expect(named.length).toBeGreaterThan(70);
  // The test that reads the map is named without a title.
  expect(loose).toBe(1);
  expect(missing).toEqual([]);
});

test("the tests that the threat model names are there, and every attack is in it", () => {
  const { named, missing, loose } = testsNamedIn("threat-model.md");
  expect(named.length).toBeGreaterThan(40);
  expect(loose).toBe(1);
  expect(missing).toEqual([]);
  const attacks = globSync("apps/server/src/attack/*.test.ts", { cwd: root }).map(
    (file) => `attack/${file.split("/").at(-1)}`,
  );
  expect(attacks.length).toBeGreaterThan(10);
  const shown = new Set(named.map(([, path]) => path));
  expect(attacks.filter((file) => !shown.has(file))).toEqual([]);
});

test("nothing in the console keeps anybody from pasting", () => {
  const own = files.filter((file) => /^(apps\/console|packages\/ui)\//.test(file) && !isTest(file));
  expect(own.length).toBeGreaterThan(100);
  const listening = /\bonPaste\b|["'](before)?paste["']/;
  const found = own.filter((file) => listening.test(readFileSync(join(root, file), "utf8")));
  expect(found, "a password manager pastes, too (docs/security/asvs.md, 6.2.7)").toEqual([]);
});

// Two places that speak of one moment say it alike, by a clock of 24 hours.
test("moments are written in one way", () => {
  const own = new Set([
    "packages/ui/src/moments.ts",
    // Names of days that are only heard, and hold the number on their button.
    "packages/ui/src/time-range/RangeCalendar.tsx",
  ]);
  const others = files.filter(
    (file) =>
      /^(apps\/console|packages\/ui)\//.test(file) &&
      !own.has(file) &&
      !file.includes(".test.") &&
      /DateTimeFormat|toLocale(Time|Date)String/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(others).toEqual([]);
});
