import { ownerKeys } from "@mainstay/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import sql from "sql-template-tag";
import { startTestApp, type TestApp } from "../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());

interface Said {
  labels?: unknown;
  tags?: unknown;
  config?: unknown;
  properties?: unknown;
}

const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const found = async (search: string): Promise<string[]> => {
  const { status, json: rows } = await app.admin.get(
    `/api/db/configs?select=name&order=name&search=${encodeURIComponent(search)}`,
  );
  expect(status).toBe(200);
  return rows.map(({ name }: { name: string }) => name);
};

const cases: readonly (readonly [Said, boolean])[] = [
  ...ownerKeys.map((key) => [{ labels: { [key]: "x" } }, true] as const),
  [{ labels: { "example.com/Owned-By": "x" } }, true],
  [{ tags: { TEAM: "x" } }, true],
  [{ config: { metadata: { annotations: { "a/b/team_name": "x" } } } }, true],
  [{ properties: [{ name: "Maintainer", text: "x" }] }, true],
  [{ properties: [{ label: "owner", value: 7 }] }, true],
  [{}, false],
  [{ labels: { owner: "  " } }, false],
  [{ tags: { owner: "" } }, false],
  [{ labels: { "owner/role": "x", steam: "x", downer: "x" } }, false],
  [{ labels: ["owner"], tags: "owner", properties: { owner: "x" }, config: "owner" }, false],
  [{ config: { metadata: { annotations: "owner" }, owner: "x" } }, false],
  [{ properties: [{ text: "owner" }, "owner", null] }, false],
];
const nameOf = (at: number) => `one ${String(at).padStart(2, "0")}`;
const names = (isOwned: boolean) =>
  cases.flatMap(([, owned], at) => (owned === isOwned ? [nameOf(at)] : []));

const sevenName = nameOf(
  cases.findIndex(([{ properties }]) => JSON.stringify(properties)?.includes("7")),
);

const write = ({ labels, tags, config, properties }: Said, name: string) =>
  app.db.run(sql`
  update config_items set labels = ${json(labels)}::jsonb, tags = ${json(tags)}::jsonb,
         config = ${json(config)}::jsonb, properties = ${json(properties)}::jsonb where name = ${name}`);

test("which items have an owner is known from the start, and while what they say changes", async () => {
  for (const [at, [said]] of cases.entries())
    await app.db.run(sql`
      insert into config_items (name, type, config_class, labels, tags, config, properties)
      values (${nameOf(at)}, 'T', 'T', ${json(said.labels)}::jsonb, ${json(said.tags)}::jsonb,
              ${json(said.config)}::jsonb, ${json(said.properties)}::jsonb)`);
  expect(await found("type=t is:owned")).toEqual(names(true));
  expect(await found("type=t has:owner")).toEqual(names(true));
  expect(await found("type=t is:unowned")).toEqual(names(false));
  for (const at of cases.keys())
    await write(cases[at]![1] ? {} : { labels: { owner: "x" } }, nameOf(at));
  expect(await found("type=t is:owned")).toEqual(names(false));
  expect(await found("type=t is:unowned")).toEqual(names(true));
  for (const [at, [said]] of cases.entries()) await write(said, nameOf(at));
  expect(await found("type=t is:owned")).toEqual(names(true));
  expect(await found("type=t owner=X")).toEqual(names(true).filter((name) => name !== sevenName));
  expect(await found("type=t owner=7")).toEqual([sevenName]);
  expect(await found("type=t owner=x*")).toEqual(await found("type=t owner=x"));
  expect(await found("type=t owner=y")).toEqual([]);
  expect(await found("type=t owner!=x")).toEqual([...names(false), sevenName].toSorted());
  // Longer than what an index holds.
  await write({ labels: { owner: "long".repeat(10_000) } }, nameOf(0));
  expect(await found("owner=long*")).toEqual([nameOf(0)]);
  await app.db.run(sql`delete from config_items where type = 'T'`);
  expect(await app.db.rows(sql`select from config_item_owners`)).toEqual([]);
});
