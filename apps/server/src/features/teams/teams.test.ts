import { isAllowed, roles } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";

let app: TestApp;
let editor: TestPerson;
let ada: TestPerson;
let grace: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
  editor = await createPerson(app, "editor", { first: "Ed", last: "Itor" });
  ada = await createPerson(app, [], { first: "Ada", last: "Lovelace" });
  grace = await createPerson(app, [], { first: "Grace", last: "Hopper" });
});
afterAll(() => app.stop());

const shown = { prefer: "return=representation" };
let made = 0;
async function createTeam(row: object = {}): Promise<{ id: string; name: string }> {
  const reply = await editor.post("/api/db/teams", { name: `team ${++made}`, ...row }, shown);
  expect(reply.status, reply.text).toBe(201);
  return reply.json[0];
}
const membersOf = async (teamId: string) =>
  (await editor.get(`/api/db/team_members?team_id=eq.${teamId}&select=*,person_id(*)`)).json as {
    team_id: string;
    person_id: { id: string; name: string; email: string; avatar: null };
  }[];
const join = (...pairs: [team: { id: string }, person: { id: string }][]) =>
  editor.post(
    "/api/db/team_members",
    pairs.map(([team, person]) => ({ team_id: team.id, person_id: person.id })),
    shown,
  );

describe.each(roles)("a %s", (role) => {
  const mayWrite = isAllowed([role], "database", "write");

  test("sees teams and who is in them", async () => {
    const asker = await createPerson(app, role);
    const team = await createTeam();
    await join([team, ada]);
    for (const path of [
      `teams?id=eq.${team.id}`,
      `teams_with_status?id=eq.${team.id}`,
      `team_members?team_id=eq.${team.id}`,
    ])
      expect((await asker.get(`/api/db/${path}`)).json).toHaveLength(1);
  });

  test(`${mayWrite ? "makes" : "does not make"}, change and fill them`, async () => {
    const asker = await createPerson(app, role);
    const team = await createTeam();
    const statuses = [
      await asker.post("/api/db/teams", { name: `by ${role}` }),
      await asker.patch(`/api/db/teams?id=eq.${team.id}`, { icon: "x" }),
      await asker.post("/api/db/team_members", { team_id: team.id, person_id: ada.id }),
      await asker.delete(`/api/db/team_members?team_id=eq.${team.id}&person_id=eq.${ada.id}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual(mayWrite ? [201, 204, 201, 204] : [403, 403, 403, 403]);
  });
});

test("nobody sees nothing", async () => {
  expect((await app.nobody.get("/api/db/teams")).status).toBe(401);
});

describe("a team", () => {
  test("is made, listed, edited as a whole row, and deleted, as the console does it", async () => {
    const spec = { components: [{ name: "shop" }] };
    const team = await createTeam({ icon: "group", spec, created_by: ada.id });
    expect(team).toMatchObject({ created_by: editor.id, source: null, icon: "group", spec });
    const listed = await editor.get(
      `/api/db/teams_with_status?select=*,created_by(id,name,avatar),members:team_members(person:people(name))&deleted_at=is.null&order=created_at.desc&limit=100`,
    );
    const [row] = listed.json.filter(({ id }: { id: string }) => id === team.id);
    expect(row).toMatchObject({
      name: team.name,
      created_by: { id: editor.id, name: "Ed Itor", avatar: null },
      job_status: null,
      members: [],
    });
    // As its list searches: by its name, and by those of its members.
    await join([team, await createPerson(app, [], { first: "Zoë", last: "Quill" })]);
    for (const text of [team.name, "oë qui"]) {
      const searched = await editor.get(
        `/api/db/teams_with_status?select=*,found:team_members(people!inner(id))&found.people.name=ilike.*${text}*&or=(name.ilike."*${text}*",found.not.is.null)`,
      );
      expect(searched.json).toMatchObject([{ id: team.id }]);
    }
    const edited = await editor.patch(
      `/api/db/teams?id=eq.${team.id}`,
      { ...team, name: `${team.name}!`, spec: {}, updated_at: "2000-01-01", created_by: ada.id },
      shown,
    );
    expect(edited.json).toMatchObject([{ name: `${team.name}!`, spec: {}, created_by: editor.id }]);
    expect(Date.parse(edited.json[0].updated_at)).toBeGreaterThan(Date.parse("2026-01-01"));
    await editor.patch(`/api/db/teams?id=eq.${team.id}`, { deleted_at: "now()" });
    expect((await editor.get(`/api/db/teams_with_status?id=eq.${team.id}`)).json).toEqual([]);
    expect(
      (await editor.get(`/api/db/teams?deleted_at=is.null&id=eq.${team.id}&order=name.asc`)).json,
    ).toEqual([]);
    // The name is free again.
    await createTeam({ name: `${team.name}!` });
  });

  test("shows the last of its background jobs", async () => {
    const team = await createTeam();
    await app.db.run(sql`
      insert into job_history (name, resource_type, resource_id, status, time_start, created_at)
      values ('TeamComponents', 'team', ${team.id}, 'FAILED', '2026-01-01Z', '2026-01-01Z'),
             ('TeamComponents', 'team', ${team.id}, 'SUCCESS', '2026-01-02Z', '2026-01-02Z'),
             ('Other', 'canary', ${team.id}, 'WARNING', '2026-01-03Z', '2026-01-03Z')`);
    const { json } = await editor.get(`/api/db/teams_with_status?id=eq.${team.id}`);
    expect(json).toMatchObject([
      {
        job_name: "TeamComponents",
        job_status: "SUCCESS",
        job_last_failed: "2026-01-01T00:00:00+00:00",
      },
    ]);
  });

  test("is not deleted as a row, because others point at it", async () => {
    const team = await createTeam();
    expect((await editor.delete(`/api/db/teams?id=eq.${team.id}`)).status).toBe(405);
  });

  test("has a name of its own", async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const refusal = `There is already a team called "${one.name}". Choose another name.`;
    const again = await editor.post("/api/db/teams", { name: ` ${one.name} ` });
    expect([again.status, again.json.message]).toEqual([409, refusal]);
    const renamed = await editor.patch(`/api/db/teams?id=eq.${other.id}`, { name: one.name });
    expect([renamed.status, renamed.json.message]).toEqual([409, refusal]);
    const kept = await editor.patch(`/api/db/teams?id=eq.${one.id}`, { name: one.name });
    expect(kept.status).toBe(204);
    const twice = await editor.post("/api/db/teams", [{ name: "twins" }, { name: "twins" }]);
    expect(twice.status).toBe(409);
  });

  test.each(["Źródło", "团队", "الفريق", "ทีม", "👩‍🚒 on call", "x".repeat(128)])(
    "may be called %s",
    async (name) => {
      expect(await createTeam({ name })).toMatchObject({ name });
    },
  );

  test.each<[row: object, column: string]>([
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: null }, "name"],
    [{ name: 1 }, "name"],
    [{ name: "two\nlines" }, "name"],
    [{ name: "x".repeat(129) }, "name"],
    [{ name: "a", icon: { a: 1 } }, "icon"],
    [{ name: "a", icon: "x".repeat(257) }, "icon"],
    [{ name: "a", source: 1 }, "source"],
    [{ name: "a", spec: [] }, "spec"],
    [{ name: "a", spec: "text" }, "spec"],
    [{ name: "a", spec: { a: "x".repeat(262_144) } }, "spec"],
  ])("%# is refused", async (row, column) => {
    const reply = await editor.post("/api/db/teams", row);
    expect(reply.status).toBe(400);
    expect(reply.json).toMatchObject({
      code: "invalid",
      issues: [{ path: column }],
      message: expect.stringContaining(`${column} must be a `),
    });
  });
});

describe("a spec", () => {
  test.each([
    {
      responder_clients: { jira: { url: "https://jira.example.org", username: "u", password: "" } },
    },
    { responder_clients: { jira: { password: "secret://jira/password", token: "$(env.TOKEN)" } } },
    { responder_clients: { jira: { password: { valueFrom: { secretKeyRef: { name: "a" } } } } } },
    { responder_clients: { ms_planner: { client_id: "id", linkUrl: "https://a.b/c:d@e" } } },
    { notifications: [{ name: "n", connection: "connection://default/slack", filter: "true" }] },
  ])("%j is kept", async (spec) => {
    expect(await createTeam({ spec })).toMatchObject({ spec });
  });

  test.each([
    [
      "spec.responder_clients.jira.password",
      { responder_clients: { jira: { password: "hunter2" } } },
    ],
    [
      "spec.responder_clients.ms_planner.client_secret",
      { responder_clients: { ms_planner: { client_secret: "x" } } },
    ],
    [
      "spec.notifications.0.properties.apiKey",
      { notifications: [{ properties: { apiKey: "x" } }] },
    ],
    [
      "spec.notifications.0.url",
      { notifications: [{ url: "smtp://me:hunter2@mail.example.org" }] },
    ],
  ])("with a secret at %s is refused, because everybody reads it", async (path, spec) => {
    const refused = [
      await editor.post("/api/db/teams", { name: "leak", spec }),
      await editor.patch(`/api/db/teams?id=eq.${(await createTeam()).id}`, { spec }),
    ];
    for (const reply of refused) {
      expect([reply.status, reply.json.issues]).toMatchObject([400, [{ path }]]);
      expect(reply.text).not.toContain("hunter2");
    }
  });

  test("that is nested without end is refused", async () => {
    for (const depth of [40, 5_000, 200_000]) {
      const spec = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
      const reply = await editor.post("/api/db/teams", `{"name": "deep", "spec": ${spec}}`);
      expect([depth, reply.status]).toEqual([depth, 400]);
    }
  });
});

describe("members", () => {
  test("are added together and read with who they are", async () => {
    const team = await createTeam();
    const reply = await join([team, ada], [team, grace]);
    expect(reply.status).toBe(201);
    expect(reply.json).toHaveLength(2);
    const members = await membersOf(team.id);
    expect(
      members.map(({ person_id }) => person_id).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ).toMatchObject([
      { id: ada.id, name: "Ada Lovelace", email: ada.email, avatar: null },
      { id: grace.id, name: "Grace Hopper", email: grace.email },
    ]);
  });

  test("come with their teams in one call", async () => {
    const team = await createTeam();
    await join([team, ada]);
    for (const name of ["teams", "teams_with_status"]) {
      const { json } = await editor.get(
        `/api/db/${name}?select=*,created_by(id,name,avatar),members:team_members(person:people(id,name))&id=eq.${team.id}`,
      );
      expect(json).toMatchObject([
        {
          created_by: { id: editor.id },
          members: [{ person: { id: ada.id, name: "Ada Lovelace" } }],
        },
      ]);
    }
  });

  test("leave one team and stay in the others", async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    await join([one, ada], [other, ada], [one, grace]);
    const reply = await editor.request(
      "DELETE",
      `/api/db/team_members?team_id=eq.${one.id}&person_id=eq.${ada.id}`,
      undefined,
      shown,
    );
    expect([reply.status, reply.json]).toEqual([200, [{ team_id: one.id, person_id: ada.id }]]);
    expect((await membersOf(one.id)).map((member) => member.person_id.id)).toEqual([grace.id]);
    expect(await membersOf(other.id)).toHaveLength(1);
  });

  test("the reference's call removes somebody from the only team, and from none where there are several", async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const person = await createPerson(app);
    await join([one, person], [other, person]);
    const call = () =>
      editor.request("DELETE", `/api/db/team_members?person_id=eq.${person.id}`, undefined, shown);
    const refused = await call();
    expect([refused.status, refused.json.message]).toEqual([
      409,
      `Nobody was removed, because this would remove from 2 teams at once (${one.name}, ${other.name}). Say from which one: add team_id=eq.{id}.`,
    ]);
    expect([await membersOf(one.id), await membersOf(other.id)]).toMatchObject([[{}], [{}]]);
    await editor.delete(`/api/db/team_members?team_id=eq.${other.id}&person_id=eq.${person.id}`);
    expect(await call()).toMatchObject({
      status: 200,
      json: [{ team_id: one.id, person_id: person.id }],
    });
    expect(await call()).toMatchObject({ status: 200, json: [] });
  });

  test("a team is emptied in one go, and not every team", async () => {
    const team = await createTeam();
    await join([team, ada], [team, grace]);
    expect((await editor.delete("/api/db/team_members?team_id=not.is.null")).status).toBe(409);
    expect((await editor.delete(`/api/db/team_members?team_id=eq.${team.id}`)).status).toBe(204);
    expect(await membersOf(team.id)).toEqual([]);
  });

  test("are in a team once", async () => {
    const team = await createTeam();
    await join([team, ada]);
    const reply = await join([team, grace], [team, ada]);
    expect([reply.status, reply.json.message]).toEqual([
      409,
      `Ada Lovelace is already in the team ${team.name}.`,
    ]);
    expect(await membersOf(team.id)).toHaveLength(1);
    expect((await join([team, grace], [team, grace])).status).toBe(409);
  });

  test("and teams are there", async () => {
    const [team, gone] = [await createTeam(), await createTeam()];
    await editor.patch(`/api/db/teams?id=eq.${gone.id}`, { deleted_at: "now()" });
    const nobody = { id: crypto.randomUUID() };
    const deleted = await createPerson(app);
    await app.db.run(sql`delete from identities where id = ${deleted.id}`);
    for (const pair of [
      [gone, ada],
      [nobody, ada],
      [team, nobody],
      [team, deleted],
    ] as const) {
      const reply = await join([team, grace], [...pair]);
      expect([reply.status, reply.json.message]).toEqual([
        400,
        expect.stringMatching(/^There is no such (team|person); it may have been deleted\.$/),
      ]);
    }
    expect(await membersOf(team.id)).toEqual([]);
  });

  test.each([
    { team_id: "1" },
    { person_id: ["x"] },
    { person_id: null },
    { team_id: "'; drop table teams; --" },
  ])("%j is refused", async (part) => {
    const team = await createTeam();
    const row = { team_id: team.id, person_id: ada.id, ...part };
    const reply = await editor.post("/api/db/team_members", row);
    expect([reply.status, reply.json.code]).toEqual([400, "invalid"]);
  });

  test("are not edited", async () => {
    const reply = await editor.patch(`/api/db/team_members?person_id=eq.${ada.id}`, {
      team_id: crypto.randomUUID(),
    });
    expect(reply.status).toBe(405);
  });
});

test("every change is in the audit log, with who made it", async () => {
  await app.db.run(sql`delete from audit_log`);
  const team = await createTeam();
  await editor.patch(`/api/db/teams?id=eq.${team.id}`, { icon: "new" });
  await join([team, ada]);
  await editor.delete(`/api/db/team_members?team_id=eq.${team.id}&person_id=eq.${ada.id}`);
  const { json } = await app.admin.get("/api/db/audit_log?order=created_at,id");
  const by = { actor_id: editor.id, actor_name: "Ed Itor", row_id: team.id };
  expect(json).toMatchObject([
    { ...by, verb: "insert", table_name: "teams", after: { name: team.name } },
    { ...by, verb: "update", table_name: "teams", before: { icon: null }, after: { icon: "new" } },
    { ...by, verb: "insert", table_name: "team_members", after: { person_id: ada.id } },
    { ...by, verb: "delete", table_name: "team_members", before: { person_id: ada.id } },
  ]);
});
