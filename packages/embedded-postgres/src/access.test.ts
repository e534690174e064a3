// Takes long: each test makes a cluster of its own, most of them with initdb.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
  type TestContext,
  vi,
} from "vitest";
import { makePlace, removePlaces, throwawayFolder } from "./testing/places.ts";
import { endPrograms, startProgram, type Ways } from "./testing/program.ts";
import { makeTrustingCluster, trustAgain } from "./testing/trusting-cluster.ts";

/** Who can connect to the embedded database: whoever reaches its socket, root included, needs a password. */

const NOBODY = 65_534;
let dataDir: string;
beforeEach(() => {
  dataDir = join(makePlace(), "data");
});
afterEach(async () => {
  await endPrograms();
  removePlaces();
});

async function ask<Row extends object>(way: pg.ClientConfig, text: string): Promise<Row[]> {
  const client = new pg.Client(way);
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const passwordsFile = () => join(dataDir, "database-passwords.json");
const access = () => readFileSync(join(dataDir, "postgres-18/pg_hba.conf"), "utf8");
const isSuperuser =
  "select current_user as who, rolsuper as super from pg_roles where rolname = current_user";

/** Nobody gets in who does not know a password, and nobody who does is a superuser. */
async function expectClosed({ connection, owner }: Ways): Promise<void> {
  const { password: _, ...without } = connection;
  const refused: [pg.ClientConfig, RegExp][] = [
    [without, /password must be a string/],
    [{ ...without, user: "postgres" }, /no pg_hba.conf entry .* user "postgres"/],
    [{ ...connection, user: "postgres" }, /no pg_hba.conf entry/],
    [{ ...owner, user: "postgres", database: "template1" }, /no pg_hba.conf entry/],
    [{ ...connection, password: "wrong" }, /password authentication failed/],
    [{ ...connection, password: "" }, /password/],
    [{ ...connection, password: owner.password }, /password authentication failed/],
    [{ ...owner, password: connection.password }, /password authentication failed/],
    [{ ...connection, database: "template1" }, /no pg_hba.conf entry/],
    [{ ...connection, user: "mainstay_data_5" }, /no pg_hba.conf entry/],
    [{ ...connection, user: "intruder" }, /no pg_hba.conf entry/],
  ];
  for (const [way, why] of refused) await expect(ask(way, "select 1")).rejects.toThrow(why);
  expect(await ask(connection, isSuperuser)).toEqual([
    { who: "mainstay_application", super: false },
  ]);
  expect(await ask(owner, isSuperuser)).toEqual([{ who: "mainstay_owner", super: false }]);
}

describe.each([
  ["as this user", undefined],
  ["as an ordinary user", NOBODY],
] as const)("%s", (_who, uid) => {
  function place(context: TestContext): void {
    if (uid === undefined) return;
    if (process.getuid?.() !== 0) context.skip("needs root: the test starts as another user");
    chownSync(join(dataDir, ".."), uid, uid);
  }

  test("a new cluster wants a password of everybody, and only this user can read it", async (context) => {
    place(context);
    const ways = await startProgram(dataDir, { uid }).ready();
    await expectClosed(ways);
    const file = statSync(passwordsFile());
    expect(file.mode & 0o777).toBe(0o600);
    expect(file.uid).toBe(uid ?? process.getuid?.());
  });

  test("a cluster that trusted everybody keeps its rows and objects, and trusts nobody any more", async (context) => {
    place(context);
    makeTrustingCluster(dataDir, uid);
    const ways = await startProgram(dataDir, { uid }).ready();
    await expectClosed(ways);
    await expectUsable(ways);
  });
});

/** What `makeTrustingCluster` put there is the owner's, who can do with it what migrations do. */
async function expectUsable({ owner }: Ways): Promise<void> {
  expect(await ask(owner, "select rolname as name from pg_roles where rolsuper")).toEqual([
    { name: "postgres" },
  ]);
  expect(await ask(owner, "select name from people order by id limit 2")).toEqual([
    { name: "Ada" },
    { name: "Grace" },
  ]);
  expect(
    await ask(
      owner,
      `select pg_describe_object(classid, objid, 0) as what from (
         select 'pg_class'::regclass as classid, c.oid as objid, relowner as owner, relnamespace as schema from pg_class c
         union all select 'pg_proc'::regclass, oid, proowner, pronamespace from pg_proc
         union all select 'pg_type'::regclass, oid, typowner, typnamespace from pg_type
         union all select 'pg_statistic_ext'::regclass, oid, stxowner, stxnamespace from pg_statistic_ext
         union all select 'pg_namespace'::regclass, oid, nspowner, oid from pg_namespace) o
        where owner = 10 and schema::regnamespace::text !~ '^(pg_|information_schema)'
          and not exists (select from pg_depend d where d.objid = o.objid and d.classid = o.classid and d.deptype = 'e')`,
    ),
  ).toEqual([]);
  await ask(
    owner,
    `alter table people add column age int; insert into people (name) values ('Edsger');
     alter table pgboss.job add column more int;
     alter type pgboss.job_state add value 'lost'; alter type pair add attribute c int;
     alter domain short add check (value <> ''); alter sequence numbers restart with 5;
     create or replace view names as select name, 1 as one from people; refresh materialized view kept_names;
     create or replace function shout(text) returns text language sql as 'select upper($1) || ''!''';
     drop statistics people_names; drop procedure pgboss.nothing(); drop aggregate total(int); drop type span;
     create extension btree_gist; create role mainstay_data_6; drop role mainstay_data_6;
     comment on role mainstay_data_5 is 'as of now'; grant mainstay_data_5 to mainstay_application;
     create index on people using gin (name gin_trgm_ops);
     alter table people drop column age; alter table counted drop column n; drop extension btree_gist`,
  );
}

test("a cluster that trusted everybody, killed again and again on the way: never open, and whole in the end", async () => {
  makeTrustingCluster(dataDir);
  const host = join(dataDir, "run");
  let tries = 0;
  const ended = new AbortController();
  const intruder = (async () => {
    while (!ended.signal.aborted) {
      tries += 1;
      await expect(
        ask({ host, user: "postgres", database: "postgres" }, "select 1"),
      ).rejects.toThrow();
      await delay(2);
    }
  })();
  try {
    for (const afterMs of [0, 5, 15, 30, 45, 60, 80, 120]) {
      // So that there is something left to do, however far the one before came.
      trustAgain(dataDir);
      const program = startProgram(dataDir);
      // The second, where what the killed one had started came to its end in the meantime.
      await vi.waitFor(
        () => expect(program.lines.join()).toMatch(/info setting the passwords|ready/),
        { timeout: 20_000, interval: 1 },
      );
      await delay(afterMs);
      await program.kill("SIGKILL");
    }
    trustAgain(dataDir);
    const ways = await startProgram(dataDir).ready();
    await expectClosed(ways);
    await expectUsable(ways);
    expect(tries).toBeGreaterThan(20);
  } finally {
    ended.abort();
    await intruder;
  }
}, 120_000);

describe("the file of passwords", () => {
  /** A cluster that was started once; each test has a copy. */
  let kept: { directory: string; ways: Ways };
  beforeAll(async () => {
    const directory = join(mkdtempSync(join(throwawayFolder, "mainstay-kept-")), "data");
    chmodSync(join(directory, ".."), 0o755);
    const program = startProgram(directory);
    kept = { directory, ways: await program.ready() };
    await program.kill("SIGTERM");
  });
  afterAll(() => rmSync(join(kept.directory, ".."), { recursive: true, force: true }));

  function started(): Ways {
    execFileSync("cp", ["-a", kept.directory, dataDir]);
    return kept.ways;
  }

  test("is kept: a start finds nothing to do", async () => {
    const before = startProgram(dataDir);
    const first = await before.ready();
    await before.kill("SIGTERM");
    const program = startProgram(dataDir);
    expect(await program.ready()).toEqual(first);
    expect(program.lines).not.toContain("info setting the passwords of the database");
  });

  test.each<[string, () => void]>([
    ["is lost", () => rmSync(passwordsFile())],
    ["is half written", () => writeFileSync(passwordsFile(), '{"owner":"abc')],
    ["was opened to others", () => chmodSync(passwordsFile(), 0o644)],
    [
      "is a link to something else",
      () => {
        cpSync(passwordsFile(), join(dataDir, "../elsewhere"));
        rmSync(passwordsFile());
        symlinkSync("../elsewhere", passwordsFile());
      },
    ],
  ])("that %s is made again, and the old passwords are worth nothing", async (_what, spoil) => {
    const before = started();
    spoil();
    const after = await startProgram(dataDir).ready();
    await expectClosed(after);
    expect(after.owner.password).not.toBe(before.owner.password);
    await expect(
      ask({ ...after.owner, password: before.owner.password }, "select 1"),
    ).rejects.toThrow(/password authentication failed/);
    expect(statSync(passwordsFile()).mode & 0o777).toBe(0o600);
  });

  test("of another user's making is not believed", async (context) => {
    if (process.getuid?.() !== 0) context.skip("needs root: the test changes an owner");
    const before = started();
    chownSync(passwordsFile(), NOBODY, NOBODY);
    const after = await startProgram(dataDir).ready();
    expect(after.owner.password).not.toBe(before.owner.password);
    expect(statSync(passwordsFile()).uid).toBe(0);
  });
});

test("who may connect is what the program says, whatever was changed or restored from a backup", async () => {
  const first = startProgram(dataDir);
  await first.ready();
  const right = access();
  await first.kill("SIGTERM");
  for (const wrong of [`local all all trust\n${right}`, `${right}local all postgres trust\n`, ""]) {
    writeFileSync(join(dataDir, "postgres-18/pg_hba.conf"), wrong);
    const program = startProgram(dataDir);
    await expectClosed(await program.ready());
    expect(access()).toBe(right);
    await program.kill("SIGTERM");
  }
  rmSync(join(dataDir, "postgres-18"), { recursive: true });
  makeTrustingCluster(`${dataDir}-backup`);
  renameSync(`${dataDir}-backup/postgres-18`, join(dataDir, "postgres-18"));
  const ways = await startProgram(dataDir).ready();
  await expectClosed(ways);
  await expectUsable(ways);
  expect(existsSync(join(dataDir, "postgres-18/pg_hba.conf.new"))).toBe(false);
}, 120_000);
