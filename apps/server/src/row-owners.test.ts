import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { features } from "./features.ts";
import { startTestApp, type TestApp } from "./testing/app.ts";
import { createPerson, type TestPerson } from "./testing/people.ts";

/**
 * Who made a row, and whose it is, is what the program knows and not what a body says. Every table that the data API
 * writes is walked; a new one must be judged here before this passes.
 */

interface Judged {
  /** A new row's body, but for what is tested. */
  body(): Record<string, unknown>;
  /** What names the row in a filter. */
  key: string;
  /** Columns that say whose it is, and what the program makes of them. */
  owners: Readonly<Record<string, "maker" | "last to change" | "said">>;
  hasUpdates?: false;
}

let made = 0;
const judged: Readonly<Record<string, Judged>> = {
  teams: {
    body: () => ({ name: `team ${++made}` }),
    key: "id",
    owners: { created_by: "maker" },
  },
  connections: {
    body: () => ({ name: `connection-${++made}`, type: "http", url: "http://example.org" }),
    key: "id",
    owners: { created_by: "maker" },
  },
  properties: {
    body: () => ({ name: `flag-${++made}`, value: "true" }),
    key: "name",
    // The call of the reference's console sends who changes it, each time.
    owners: { created_by: "last to change" },
  },
  team_members: {
    body: () => ({ team_id: team }),
    key: "person_id",
    // That is what a member is: editors say who is in a team. It is inserted and deleted, not changed.
    owners: { person_id: "said" },
    hasUpdates: false,
  },
};
/** Judged beside their documents; and what links two things, which is nobody's. */
const elsewhere = [
  "canaries",
  "config_scrapers",
  "topologies",
  "logging_backends",
  "config_component_relationships",
];

/** Columns that are about people, agents, or whose something is. */
const isOwner = (column: string) =>
  /(^|_)(by|owner|author|person_id|agent_id|identity_id|user_id|commander_id|communicator_id)$/.test(
    column,
  );

const writable = features
  .flatMap(({ tables = [] }) => tables)
  .filter(({ name, write }) => write !== undefined && !elsewhere.includes(name));

let app: TestApp;
let maker: TestPerson;
let other: TestPerson;
let victim: TestPerson;
let team: string;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  maker = await createPerson(app, "admin");
  other = await createPerson(app, "admin");
  victim = await createPerson(app, "viewer");
  const reply = await maker.post("/api/db/teams", { name: "judges" }, represented);
  team = reply.json[0].id;
});
afterAll(() => app.stop());

const represented = { prefer: "return=representation" };

test("every writable table has been judged, with every column that says whose a row is", async () => {
  expect(writable.map(({ name }) => name).toSorted()).toEqual(Object.keys(judged).toSorted());
  for (const { name } of writable) {
    const columns = await app.db.rows<{ column_name: string }>(
      sql`select column_name from information_schema.columns where table_schema = 'public' and table_name = ${name}`,
    );
    const owners = columns.map(({ column_name: column }) => column).filter(isOwner);
    expect([name, ...owners.toSorted()]).toEqual([
      name,
      ...Object.keys(judged[name]!.owners).toSorted(),
    ]);
  }
});

describe.for(Object.entries(judged))("%s", ([name, { body, key, owners, hasUpdates }]) => {
  const path = `/api/db/${name}`;
  const claims = (id: string) =>
    Object.fromEntries(Object.keys(owners).map((column) => [column, id]));
  const insert = async (who: TestPerson, more: object, headers: object = {}) => {
    const reply = await who.post(path, { ...body(), ...more }, { ...represented, ...headers });
    expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
    return reply.json[0] as Record<string, string>;
  };
  const isNow = async (row: Record<string, string>) =>
    ((await maker.get(`${path}?${key}=eq.${row[key]}`)).json as Record<string, string>[])[0]!;

  test.for(Object.entries(owners))("%s of a new row is %s", async ([column, rule]) => {
    const row = await insert(maker, claims(victim.id));
    expect(row[column]).toBe(rule === "said" ? victim.id : maker.id);
    if (rule === "said") return;
    const silent = await insert(maker, {});
    expect(silent[column]).toBe(maker.id);
    const nobodys = await insert(maker, { [column]: null });
    expect(nobodys[column]).toBe(maker.id);
  });

  if (hasUpdates !== false)
    test.for(Object.entries(owners))(
      "%s stays what it is when somebody else writes: %s",
      async ([column, rule]) => {
        const row = await insert(maker, {});
        const expected = rule === "maker" ? maker.id : other.id;
        const where = `${path}?${key}=eq.${row[key]}`;
        const edit = await other.patch(where, { ...row, ...claims(victim.id) }, represented);
        expect([edit.status, edit.json?.[0]?.[column]]).toEqual([200, expected]);
        const only = await other.patch(where, claims(victim.id), represented);
        expect([only.status < 500, (await isNow(row))[column]]).toEqual([true, expected]);
        const put = await other.request(
          "PUT",
          where,
          { ...row, ...claims(victim.id) },
          represented,
        );
        expect([put.status < 500, (await isNow(row))[column]]).toEqual([true, expected]);
        // By the way of a new row that is already there.
        for (const resolution of ["merge-duplicates", "ignore-duplicates"]) {
          const prefer = `resolution=${resolution}, return=representation`;
          const again = await other.post(path, [{ ...row, ...claims(victim.id) }], { prefer });
          expect([again.status < 500, (await isNow(row))[column]]).toEqual([true, expected]);
        }
        const columns = `${path}?columns=${[key, "name", column].join(",")}&on_conflict=${key}`;
        const named = await other.post(
          columns,
          { ...row, ...claims(victim.id) },
          {
            prefer: "resolution=merge-duplicates",
          },
        );
        expect([named.status < 500, (await isNow(row))[column]]).toEqual([true, expected]);
      },
    );
});

test("whoever may not write changes no owner either", async () => {
  for (const { name } of writable) {
    const reply = await victim.patch(`/api/db/${name}?${judged[name]!.key}=not.is.null`, {
      created_by: victim.id,
    });
    expect([name, reply.status >= 400]).toEqual([name, true]);
  }
});
