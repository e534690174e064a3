import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../../testing/app.ts";
import { counting } from "../testing/counting.ts";
import { relateComponents } from "./relate-components.ts";
import { relateTeams } from "./relate-teams.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.owner.raw("truncate components, topologies, config_items cascade");
  await app.owner.raw("delete from teams");
});

const add = (name: string, more: { selectors?: unknown; configs?: unknown } = {}) =>
  app.db.run(sql`
    insert into components (external_id, name, type, status, selectors, configs)
    values (${name}, ${name}, 'T', 'unknown', ${json(more.selectors)}::jsonb, ${json(more.configs)}::jsonb)`);
const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
const addTeam = (name: string, components: unknown) =>
  app.db.run(sql`
    insert into teams (name, icon, spec, created_by)
    select ${name}, 'group', ${JSON.stringify({ components })}::jsonb, id from people limit 1`);
const ofTeams = async () =>
  (
    await app.db.rows<{ text: string }>(sql`
      select t.name || ': ' || c.name as text from team_components m
        join teams t on t.id = m.team_id join components c on c.id = m.component_id order by 1`)
  ).map(({ text }) => text);
const aborted = () => {
  const stopping = new AbortController();
  stopping.abort(new Error("The server stops."));
  return app.app.ctx.with({ signal: stopping.signal });
};

test("a team whose selectors are none is told of, and the others get their components", async () => {
  await add("web");
  await addTeam("broken", [
    null,
    "web",
    { tags: 5 },
    { name: 7 },
    { search: "created>" },
    { name: "web" },
  ]);
  await addTeam("fine", [{ name: "web" }]);
  const { related, errors } = await relateTeams(app.app.ctx);
  expect(errors).toHaveLength(5);
  expect(errors[0]).toBe("broken: Expected a selector, which is a mapping.");
  expect(errors[3]).toMatch(/^broken: name: /);
  expect(related).toBe(2);
  expect(await ofTeams()).toEqual(["broken: web", "fine: web"]);
});

test("a component whose selectors are none is told of, and the others are related", async () => {
  await app.db.run(
    sql`insert into config_items (name, type, config_class) values ('item', 'T', 'T')`,
  );
  await add("broken", { selectors: [{ limit: "many" }, 3], configs: { name: "item" } });
  await add("fine", { configs: [{ name: "item", class: "T" }, { types: { a: 1 } }] });
  const { related, errors } = await relateComponents(app.app.ctx);
  expect(errors.map((text) => text.replace(/(: [^:]*):.*/s, "$1")).toSorted()).toEqual([
    "broken, selectors: Expected a selector, which is a mapping.",
    "broken, selectors: limit",
    "fine, configs: types",
  ]);
  expect(related).toBe(1);
});

test("many components that select one thing each ask for it together", async () => {
  const names = Array.from({ length: 120 }, (_, n) => `item-${n}`);
  await app.db.run(sql`
    insert into config_items (name, type, config_class) select name, 'T', 'T' from unnest(${names}::text[]) name`);
  for (const name of names) await add(`of ${name}`, { configs: [{ name, type: "T" }] });
  await add("of none", { configs: [{ name: "nothing", type: "T" }, { search: "created>" }] });
  const { counted, asked } = counting(app.db);
  const { related, errors } = await relateComponents(app.app.ctx.with({ db: counted }));
  expect(related).toBe(120);
  expect(errors).toEqual([expect.stringMatching(/^of none, configs: /)]);
  expect(
    await app.db.rows(sql`
      select from config_component_relationships r join components c on c.id = r.component_id
        join config_items i on i.id = r.config_id and c.name = 'of ' || i.name where r.deleted_at is null`),
  ).toHaveLength(120);
  expect(asked()).toBeLessThan(12);
});

test("all ties together have a limit, and what is beyond it is told", async () => {
  for (const name of ["a", "b", "c"]) await add(name);
  for (const name of ["x", "y"]) await add(name, { selectors: [{ name: "a,b,c" }] });
  const { related, errors } = await relateComponents(app.app.ctx, { only: "selectors", most: 4 });
  expect(related).toBe(4);
  expect(errors).toEqual([
    expect.stringMatching(/^[xy], selectors: all components together select more than 4:/),
  ]);
});

test("both stop when they are no longer wanted", async () => {
  await add("web", { selectors: [{ name: "web" }] });
  await addTeam("fine", [{ name: "web" }]);
  await expect(relateTeams(aborted())).rejects.toThrow("The server stops.");
  await expect(relateComponents(aborted())).rejects.toThrow("The server stops.");
});
