// Takes long: every address is asked in several ways, with the database compared before and after.
import { request } from "node:http";
import { pairs } from "@mainstay/testkit/sample.ts";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./testing/app.ts";
import { createPerson, type TestPerson } from "./testing/people.ts";

/**
 * A link on another site makes a browser send a GET with its user's cookie, and nothing can be done about that. So every
 * GET is asked here as such a link asks it, and the database is compared: what is written is named by hand, with the
 * reason why it may be.
 */

const kinds = ["login", "registration", "recovery", "verification", "settings"];

/** The tables that a GET may write to, because what is written binds nobody and ends by itself, or needs a secret. */
const leaves: Readonly<Record<string, readonly string[]>> = {
  // A form that nobody has filled out yet; the answer to it needs this browser's CSRF cookie.
  ...Object.fromEntries(
    kinds.flatMap((kind) =>
      ["browser", "api"].map((type) => [
        `/api/.ory/self-service/${kind}/${type}`,
        ["identity_flows"],
      ]),
    ),
  ),
  // What a link in a mail opens is such a form.
  "/api/.ory/self-service/recovery": ["identity_flows"],
  "/api/.ory/self-service/verification": ["identity_flows"],
};
/** Where a person came by a link and it went wrong, a page tells what; it is forgotten after a day. */
const told = "identity_errors";

const disguises: Readonly<Record<string, Record<string, string>>> = {
  "a link on another site": {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
    accept: "text/html",
  },
  "an image on another site": {
    "sec-fetch-site": "cross-site",
    "sec-fetch-dest": "image",
    accept: "image/*",
  },
  "a script on another site": { origin: "https://evil.example", accept: "*/*" },
  "a link on a plain-http page that says nothing": { accept: "text/html" },
  "a link in a mail": { "sec-fetch-site": "none", accept: "text/html" },
  "a link that is called something else": {
    referer: "https://evil.example/",
    "x-http-method-override": "POST",
    "x-http-method": "DELETE",
    "x-method-override": "PATCH",
  },
};

let app: TestApp;
let admin: TestPerson;
let paths: string[];
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  admin = await createPerson(app, "admin");
  paths = [
    ...app.app.routes.filter(({ method }) => method === "GET").map(({ url }) => url),
    "/api/_health",
    "/api/_ready",
    "/metrics",
    "/",
    "/health",
    "/api/db/",
    "/api/db/people",
    "/api/db/teams?select=*,team_members(*)",
    `/api/db/rpc/delete_person?person_id=${admin.id}`,
    "/api/db/rpc/generate_ulid",
  ];
});
afterAll(() => app.stop());

/** No cluster here, and no console that was built. */
const unavailable = new Set(["/api/kubeproxy/*", "/", "/health"]);

interface Asked {
  status: number;
}

/** As it is: neither slashes nor dots are tidied up on the way. */
async function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Asked> {
  const { hostname, port } = new URL(app.address);
  return await new Promise<Asked>((resolve, reject) => {
    const asked = request(
      {
        hostname,
        port,
        method,
        path,
        headers: { cookie: `ory_kratos_session=${admin.token}`, ...headers },
      },
      (reply) => {
        // A stream of events never ends: its status is enough.
        const isStream = reply.headers["content-type"]?.startsWith("text/event-stream");
        const answered = () => resolve({ status: reply.statusCode! });
        if (isStream && method !== "HEAD") {
          reply.destroy();
          answered();
        } else {
          reply.resume().on("end", answered);
        }
      },
    );
    asked.on("error", reject).end();
  });
}

let tables: { name: string }[] | undefined;

/**
 * What every table holds; workers say by themselves that they are there. When a session was seen last is left out: it is
 * written once a minute, by whatever is asked then.
 */
async function contents(): Promise<Record<string, string>> {
  tables ??= await app.db.rows<{ name: string }>(sql`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pgboss')
       and n.nspname not like 'pg_toast%' and c.relname <> 'workers'
     order by 1`);
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(r, '|' order by r), '')) as hash
          from (select ${name === "identity_sessions" ? "(to_jsonb(t) - 'last_seen_at')::text" : "t::text"} as r from ${name} t)`,
  );
  const { rows } = await app.db.raw(parts.join(" union all "));
  return Object.fromEntries(
    rows.map(({ name, hash }: { name: string; hash: string }) => [name, hash]),
  );
}

type Contents = Awaited<ReturnType<typeof contents>>;

const differences = (before: Contents, after: Contents): string[] =>
  Object.keys(after)
    .filter((name) => after[name] !== before[name])
    .toSorted();

async function writtenBy(work: () => Promise<unknown>): Promise<string[]> {
  const before = await contents();
  await work();
  return differences(before, await contents());
}

const filled = (url: string) =>
  url.replaceAll(":file", "canary.schema.json").replaceAll(/:\w+/g, admin.id).replaceAll("*", "x");

test("the comparison sees what is written", async () => {
  const kubeconfig = () => ask("GET", "/api/kubeconfig", { "sec-fetch-site": "same-origin" });
  expect(await writtenBy(kubeconfig)).toEqual(["access_tokens", "audit_log"]);
  expect(paths.length).toBeGreaterThan(30);
});

const leftBy = (url: string): readonly string[] => [
  ...(leaves[url] ?? []),
  ...(url.includes("self-service") ? [told] : []),
];

/** Those that may write nothing some at a time: to compare all there is takes longer than to ask. The others one by one. */
function together(urls: readonly string[]): string[][] {
  const [mayWrite, mayNot] = [true, false].map((may) =>
    urls.filter((url) => leftBy(url).length > 0 === may),
  ) as [string[], string[]];
  const groups = mayWrite.map((url) => [url]);
  for (let at = 0; at < mayNot.length; at += 20) groups.push(mayNot.slice(at, at + 20));
  return groups;
}

test.for(pairs(Object.keys(disguises), ["GET", "HEAD"]))(
  "%s changes nothing, by %s",
  async ([disguise, method]) => {
    const bound: string[] = [];
    let before = await contents();
    for (const urls of together(paths)) {
      for (const url of urls) {
        const { status } = await ask(method, filled(url), disguises[disguise]);
        expect([url, status < 500 || unavailable.has(url)]).toEqual([url, true]);
      }
      const after = await contents();
      const written = differences(before, after);
      before = after;
      const more = written.filter((table) => !leftBy(urls[0]!).includes(table));
      if (more.length > 0) bound.push(`${urls.join(" or ")} writes ${more.join(", ")}`);
    }
    expect(bound).toEqual([]);
  },
);

describe("an address that is written otherwise", () => {
  const paths = (path: string) => [
    `/${path}`,
    path.replace("/api/", "/api//"),
    path.replace("/api/", "//api/"),
    path.replace("/api/", "/api/./"),
    path.replace("/api/", "/x/../api/"),
    path.replace("/api/", "/API/"),
    path.replace("/api/", "/api%2f"),
    path.replace("/api/", "/%61pi/"),
    `${path}/`,
    `${path}.`,
    `${path};a=b`,
    `${path}%00`,
    `${path}%20`,
    `${path}?_method=POST`,
    `${path}?access_token=x&method=POST`,
    `${path}#x`,
  ];
  test.each(["/api/kubeconfig", "/api/auth/tokens", `/api/people/x/sign-in-link`, "/api/db/teams"])(
    "reaches %s as it is, or nothing",
    async (path) => {
      const statuses = new Set<number>();
      const written = await writtenBy(async () => {
        for (const way of paths(path))
          for (const method of ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND"])
            statuses.add((await ask(method, way, disguises["a link on another site"])).status);
      });
      expect(written).toEqual([]);
      // 503 is the console, which was not built: pages are everything that is not below /api.
      expect([...statuses].filter((status) => status >= 500 && status !== 503)).toEqual([]);
    },
  );

  test("is not less guarded", async () => {
    const bare = { cookie: "" };
    for (const path of ["/api/auth/tokens", "/api/rbac/dump", "/api/db/people"])
      for (const way of paths(path)) {
        const { status } = await ask("GET", way, { ...bare, accept: "application/json" });
        expect([way, [400, 401, 403, 404, 503].includes(status)]).toEqual([way, true]);
      }
  });
});
