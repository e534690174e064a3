import sql from "sql-template-tag";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";

let app: TestApp;
const id = (name: string) =>
  `0190a0b4-0000-7000-8000-0000000000${Buffer.from(name).toString("hex").slice(0, 2)}`;
const nameOf = (one: string) => Buffer.from(one.slice(-2), "hex").toString();

/** a(b(c) d), e apart; x is deleted, h hidden. */
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  const add = (name: string, parent: string | null, path: string) => sql`
    insert into components (id, external_id, name, parent_id, path, status, type, labels, log_selectors, properties)
    values (${id(name)}, ${name}, ${name}, ${parent && id(parent)}, ${path}, 'healthy', ${`type ${name}`},
            ${JSON.stringify({ name })}::jsonb, ${name === "b" ? '[{"name":"pods"}]' : "[]"}::jsonb,
            ${JSON.stringify([
              { name: "color", text: name },
              { name: "size", value: 3 },
            ])}::jsonb)`;
  for (const [name, parent] of [
    ["a"],
    ["b", "a"],
    ["c", "b"],
    ["d", "a"],
    ["e"],
    ["h"],
    ["x", "a"],
  ])
    await app.db.run(add(name!, parent ?? null, parent ? id(parent) : ""));
  await app.db.run(sql`update components set hidden = true where name = 'h'`);
  await app.db.run(sql`
    insert into component_relationships (relationship_id, component_id, selector_id, deleted_at)
    values (${id("e")}, ${id("c")}, 's', null), (${id("e")}, ${id("d")}, 's', now()), (${id("a")}, ${id("x")}, 's', null)`);
  await app.db.run(sql`
    with top as (insert into topologies (id, name, spec) values (${id("t")}, 'shop', '{}'))
    insert into config_items (id, name, type, config_class, path)
    values (${id("1")}, '1', 'T', 'T', ''), (${id("2")}, '2', 'T', 'T', ${id("1")}),
           (${id("3")}, '3', 'T', 'T', ${`${id("1")}.${id("2")}`}), (${id("4")}, '4', 'T', 'T', '')`);
  await app.db.run(sql`update components set topology_id = ${id("t")} where name in ('a', 'b')`);
  for (const [component, item] of ["a1", "b2", "c3", "e4", "x3"].map((pair) => pair.split("")))
    await app.db.run(
      sql`update components set config_id = ${id(item!)} where id = ${id(component!)}`,
    );
  await app.db.run(sql`
    insert into config_component_relationships (component_id, config_id, selector_id, deleted_at)
    values (${id("a")}, ${id("1")}, 'manual', null), (${id("a")}, ${id("2")}, 'manual', now())`);
  await app.db.run(sql`
    insert into config_changes (config_id, change_type) values (${id("1")}, 'diff'), (${id("2")}, 'gone')`);
  await app.db.run(
    sql`insert into teams (id, name, created_by) select ${id("m")}, 'money', id from people limit 1`,
  );
  await app.db.run(
    sql`insert into team_components (team_id, component_id) values (${id("m")}, ${id("a")})`,
  );
  await app.db.run(sql`
    with canary as (insert into canaries (name, namespace, spec) values ('c', 'default', '{}') returning id),
         made as (insert into checks (id, canary_id, type, name, status)
                  select ${id("k")}, id, 'tcp', 'k', 'healthy' from canary returning id, canary_id)
    insert into check_component_relationships (component_id, check_id, canary_id, selector_id)
    select c::uuid, made.id, canary_id, s from made, (values (${id("a")}, 'one'), (${id("a")}, 'two'), (${id("b")}, 'one')) v (c, s)`);
  await app.db.run(sql`update components set deleted_at = now() where name = 'x'`);
});
afterAll(() => app.stop());

const short = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/0190a0b4-0000-7000-8000-0000000000\w\w/g, (one) =>
      nameOf(one),
    ),
  );
const ask = async (path: string) => {
  const reply = await app.admin.get(`/api/db/${path}`);
  return [reply.status, short(reply.json)];
};

const row = (name: string) => expect.objectContaining({ name });
test.each([
  ["component_names?select=name", ["a", "b", "c", "d", "e"].map((name) => ({ name }))],
  [
    "component_names_all?select=name&order=name.desc",
    ["x", "e", "d", "c", "b", "a"].map((name) => ({ name })),
  ],
  [
    `component_names?id=eq.${id("b")}&select=id,name,icon,path,parent_id,type,external_id`,
    [
      {
        id: "b",
        name: "b",
        icon: null,
        path: "a",
        parent_id: "a",
        type: "type b",
        external_id: "b",
      },
    ],
  ],
  ["component_labels?value=eq.x", []],
  ["component_labels?value=eq.h", [{ key: "name", value: "h" }]],
  ["component_types?type=like.type*&order=type&limit=1", [{ type: "type a" }]],
  ["components_with_logs?order=name.asc&select=id,name", [{ id: "b", name: "b" }]],
  [
    `rpc/lookup_component_children?id=${id("a")}&max_depth=-1&order=level,child_id`,
    [
      { child_id: "a", parent_id: null, level: 0 },
      { child_id: "b", parent_id: "a", level: 1 },
      { child_id: "d", parent_id: "a", level: 1 },
      { child_id: "c", parent_id: "b", level: 2 },
    ],
  ],
  [
    `rpc/lookup_component_children?id=${id("a")}&max_depth=0`,
    [{ child_id: "a", parent_id: null, level: 0 }],
  ],
  [`rpc/lookup_component_relations?component_id=${id("c")}`, [{ id: "e" }]],
  [`rpc/lookup_component_relations?component_id=${id("e")}`, [{ id: "c" }]],
  [`rpc/lookup_components_by_check?id=${id("k")}&order=name`, [row("a"), row("b")]],
  ["rpc/lookup_component_by_property?name=color&value=b", [row("b")]],
  ["rpc/lookup_component_by_property?name=size&value=3&type=eq.type%20c", [row("c")]],
  [`rpc/lookup_component_names?component_ids={${id("d")},${id("a")}}`, [{ names: ["d", "a"] }]],
  [`rpc/check_summary_for_component?id=${id("a")}`, [row("k")]],
  [
    `rpc/lookup_component_config_id_related_components?component_id=${id("a")}&order=id`,
    [{ id: "a" }, { id: "b" }, { id: "c" }],
  ],
  [
    `rpc/lookup_component_config_id_related_components?component_id=${id("c")}&order=id`,
    [{ id: "c" }],
  ],
  [`rpc/lookup_component_config_id_related_components?component_id=${id("e")}`, [{ id: "e" }]],
  [
    `checks_by_component?component_id=eq.${id("b")}&select=id,name,type,status`,
    [{ id: "k", name: "k", type: "tcp", status: "healthy" }],
  ],
  [
    `changes_by_component?component_id=eq.${id("a")}&select=change_type,created_at:configs(id,name)`,
    [{ change_type: "diff", created_at: { id: "1", name: "1" } }],
  ],
  [
    `components?id=eq.${id("a")}&select=name,topologies(id,name)`,
    [{ name: "a", topologies: { id: "t", name: "shop" } }],
  ],
  [
    "topologies?select=name,components(id,name)&components.order=name",
    [
      {
        name: "shop",
        components: [
          { id: "a", name: "a" },
          { id: "b", name: "b" },
        ],
      },
    ],
  ],
  [
    `team_components?component_id=eq.${id("a")}&select=*,team:teams(name,created_by(name))`,
    [
      expect.objectContaining({
        team_id: "m",
        team: { name: "money", created_by: { name: expect.any(String) } },
      }),
    ],
  ],
  [
    `config_component_relationships?component_id=eq.${id("a")}&configs.order=name&select=selector_id,configs!config_component_relationships_config_id_fkey(id, type, name),components!config_component_relationships_component_id_fkey(id,icon,name)&deleted_at=is.null`,
    [
      {
        selector_id: "manual",
        configs: { id: "1", type: "T", name: "1" },
        components: { id: "a", icon: null, name: "a" },
      },
    ],
  ],
  [
    "topologies_with_status?select=name,job_status,agent,created_by(name),at:agent_id(name)",
    [
      {
        name: "shop",
        job_status: null,
        created_by: null,
        agent: { id: expect.any(String), name: "local" },
        at: { name: "local" },
      },
    ],
  ],
  [
    "integrations_with_status?integration_type=eq.topologies&select=id,name,created_by,creator_name,creator_avatar",
    [{ id: "t", name: "shop", created_by: null, creator_name: null, creator_avatar: null }],
  ],
])("%s", async (path, expected) => {
  expect(await ask(path)).toEqual([200, expected]);
});

test("a component's own columns of the program do not leave", async () => {
  const [, rows] = await ask("rpc/lookup_component_by_property?name=color&value=b");
  for (const column of ["given_status", "roll_up_fault", "given_health"])
    expect((rows as object[])[0]).not.toHaveProperty(column);
});
