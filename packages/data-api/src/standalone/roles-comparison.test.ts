import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { urlOf, createTestDatabase, type TestDatabase } from "@mainstay/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
// For the type of what `inject` gives.
import "@mainstay/testkit/global-setup.ts";
import { parseExact } from "../body.ts";
import type { CorpusRequest } from "../testing/corpus.ts";
import { rolesCorpus } from "../testing/corpus-roles.ts";
import { askOver, type PostgRest, type Reply, startPostgRest } from "../testing/postgrest.ts";
import { comparison, openPostgRest } from "../testing/recorded.ts";
import { authorized, jwtAudience, jwtSecret } from "../testing/tokens.ts";

/** The program beside PostgREST, over HTTP, on a database whose roles differ in what they may do. */

const all = ["*"];
const body = ["body"];
const refusal = ["status", "body", "www-authenticate"];

/** Where we answer otherwise than PostgREST 12.0.2, in which facts, and why. The first that fits counts. */
const differences: [pattern: RegExp, facts: readonly string[], reason: string][] = [
  [/^scheme (alone|and a space): /, all, "later versions refuse an empty token"],
  [/^for no one: /, all, "later versions take an empty list of audiences for every audience"],
  [
    /^(expired( and .*| a minute ago)?|not yet|in a minute|issued in the future|exp negative|\w+ in words): /,
    ["body", "www-authenticate"],
    "PGRST303 and words of later versions",
  ],
  [
    /^(for (others|several others|a number)|claims .*|wrong .*|HS\d+|not signed|signature cut|another payload): /,
    ["body", "www-authenticate"],
    "codes and words of later versions",
  ],
  [
    /^(\w+ parts?|header no JSON|algorithm unknown): /,
    ["body", "www-authenticate"],
    "words of later versions",
  ],
  [/^(exp|for) null: GET \/rpc\/(whoami|claim)/, body, "12.0.2 leaves out claims that are null"],
  [/: \w+ \/nowhere/, refusal, "PGRST205 as in later versions, before the database is asked"],
  [
    /: (GET|POST) \/notes( accept|$)|: OPTIONS \/notes content/,
    refusal,
    "PGRST205 as in later versions, before the database is asked",
  ],
  [/ \/goods\?select=id accept-profile:office/, refusal, "the same"],
  [
    /^(role .*|login role): GET \/goods\?select=nope/,
    refusal,
    "names are looked up before the role is taken on",
  ],
  [
    /^role (null|empty|a number|a list|unknown|that injects|in upper case): (?!OPTIONS)/,
    ["status", "www-authenticate"],
    "401 as in later versions",
  ],
  [/-profile:(inner_part|nope|)( |$)/, body, "PGRST106 in the words of later versions"],
  [
    /^reader: POST \/goods prefer:return=headers-only/,
    all,
    "only the key is read for Location, 12.0.2 reads every column",
  ],
  [
    /^(nobody|reader|ann|bob|stranger): HEAD \/rpc\/closed/,
    all,
    "12.0.2 does not call a function whose answer is not shown",
  ],
  [/^stranger: GET \/rpc\/orders_of.*goods/, body, "of two tables the other one is named"],
  [/: OPTIONS \/rpc\/says/, all, "what a function allows is told without its arguments"],
  [/: GET \/ accept:text\/csv/, ["status"], "406 as in later versions"],
  [/: POST \/ /, ["status", "body"], "405 as in later versions"],
  [/ x-refuse:PGRST$/, body, "PGRST121 in the words of later versions"],
  [/ x-refuse:57014$/, ["status"], "504 where a statement took too long"],
  [
    /rpc\/raises .*("detail":("no JSON"|"{\\"status\\":404}")|"message":("no JSON"|"{\\"code\\":\\"X1\\"}"))/,
    body,
    "PGRST121 in the words of later versions",
  ],
  [/rpc\/raises_code .*(PT503|53300)/, ["retry-after"], "there is no reconnecting to wait for"],
];

const skippedHeaders = new Set([
  "connection",
  "content-length",
  "date",
  "etag",
  "keep-alive",
  "proxy-status",
  "server",
  "transfer-encoding",
]);
const keepsHeader = (name: string) => !skippedHeaders.has(name);

/** What is compared: status, body, and every header that is not of the connection. */
const facts = ({ status, headers, body: text }: Reply): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => keepsHeader(name))),
  status,
  body: String(headers["content-type"]).includes("json") && text !== "" ? comparable(text) : text,
});

function comparable(text: string): unknown {
  // Of tokens that are made for this moment.
  const value = parseExact(text.replaceAll(/"(exp|nbf|iat)":1\d{9}\b/g, '"$1":"about now"'));
  if (typeof value !== "object" || value === null) return value;
  if ("swagger" in value) return sorted(comparableDocument(text));
  const code = "code" in value && "hint" in value ? value.code : undefined;
  // Guesses at what was meant are each program's own.
  return sorted(code === "PGRST200" || code === "PGRST202" ? { ...value, hint: "" } : value);
}

/** Without versions, without a parameter that later versions do not know, and with types as in their schema. */
function comparableDocument(text: string): unknown {
  const plain = text
    .replaceAll(',{"$ref":"#/parameters/preferParams"}', "")
    .replaceAll('"format":"shop.', '"format":"');
  const {
    externalDocs: _where,
    info,
    parameters,
    ...others
  } = JSON.parse(plain) as {
    externalDocs: object;
    info: object;
    parameters: object;
  };
  return {
    definitions: {},
    ...others,
    info: { ...info, version: "" },
    parameters: { ...parameters, preferParams: "" },
  };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

const label = ({ as, method, url, headers, body: sent }: CorpusRequest) =>
  [
    `${as}: ${method} /${url}`,
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}:${value}`),
    ...(sent === undefined ? [] : [sent]),
  ].join(" ");

let database: TestDatabase;
let real: PostgRest;
let socketPath: string;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  database = await createTestDatabase({ connection: inject("cluster") });
  const admin = new pg.Client(database.superuser);
  await admin.connect();
  await admin.query(readFileSync(new URL("../testing/roles.sql", import.meta.url), "utf8"));
  await admin.end();
  const address = urlOf({ ...database.superuser, user: "roles_login" });
  real = await openPostgRest({ name: "roles", keepsHeader, facts }, async () => {
    const started = await startPostgRest(address, {
      PGRST_DB_SCHEMAS: "shop, office",
      PGRST_DB_ANON_ROLE: "roles_anon",
      PGRST_DB_PRE_REQUEST: "inner_part.check_request",
      PGRST_DB_EXTRA_SEARCH_PATH: "inner_part",
      // Who asks first on a connection would decide what the others are refused.
      PGRST_DB_PREPARED_STATEMENTS: "false",
      PGRST_JWT_SECRET: jwtSecret,
      PGRST_JWT_AUD: jwtAudience,
      PGRST_OPENAPI_SERVER_PROXY_URI: "https://shop.example/api",
      PGRST_OPENAPI_SECURITY_ACTIVE: "true",
      PGRST_APP_SETTINGS_GREETING: "hello",
    });
    return { ...started, ask: (asked) => started.ask(authorized(asked)) };
  });
  ends.push(() => real.stop());
  socketPath = await startOurs(address);
});

afterAll(async () => {
  for (const end of ends) await end();
  await database.drop();
});

async function startOurs(address: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "data-api-roles-"));
  const path = join(directory, "ours.sock");
  const child = spawn(
    process.execPath,
    [
      new URL("main.ts", import.meta.url).pathname,
      "serve",
      `--db-uri=${address}`,
      "--db-schemas=shop,office",
      "--db-anon-role=roles_anon",
      "--db-pre-request=inner_part.check_request",
      "--db-extra-search-path=inner_part",
      "--db-tx-end=rollback",
      // So that the roles take turns on each connection.
      "--db-pool=2",
      `--jwt-secret=${jwtSecret}`,
      `--jwt-aud=${jwtAudience}`,
      "--openapi-server-proxy-uri=https://shop.example/api",
      "--openapi-security-active",
      "--app-settings.greeting=hello",
      `--server-unix-socket=${path}`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  ends.push(async () => {
    child.kill();
    await exited;
    rmSync(directory, { recursive: true, force: true });
  });
  await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    exited.then(() => Promise.reject(new Error("The program ended before it listened."))),
  ]);
  return path;
}

/** Requests of one subject that are under way at once. */
const together = 4;

async function compare(request: CorpusRequest): Promise<string | undefined> {
  const [theirs, ours] = await Promise.all([
    real.ask(request).then(facts),
    askOver(socketPath, authorized(request)).then(facts),
  ]);
  const differing = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].filter(
    (name) => JSON.stringify(theirs[name]) !== JSON.stringify(ours[name]),
  );
  const [, expected] = differences.find(([pattern]) => pattern.test(label(request))) ?? [];
  if (expected && differing.length === 0)
    return `${label(request)}\n  is no longer a difference: take it off the list`;
  const unexpected = differing.filter(
    (name) => !expected?.some((one) => one === "*" || one === name),
  );
  if (unexpected.length === 0) return undefined;
  const shown = unexpected.map(
    (name) =>
      `  ${name}\n    ours   ${JSON.stringify(ours[name])}\n    theirs ${JSON.stringify(theirs[name])}`,
  );
  return [label(request), ...shown].join("\n");
}

describe(comparison, () => {
  test.for(Object.entries(rolesCorpus))("%s", async ([, requests]) => {
    const found: string[] = [];
    const queue = requests.values();
    const work = async () => {
      for (const request of queue) found.push(...[(await compare(request)) ?? []].flat());
    };
    await Promise.all(Array.from({ length: together }, work));
    expect(found.slice(0, 20).join("\n")).toBe("");
  });
});

test("the corpus is large and every listed difference is in it", () => {
  const labels = Object.values(rolesCorpus).flat().map(label);
  expect(labels.length).toBeGreaterThan(1_000);
  const first = (text: string) => differences.findIndex(([pattern]) => pattern.test(text));
  const listed = new Set(labels.map(first));
  expect(differences.filter((_, index) => !listed.has(index))).toEqual([]);
});
