// Takes long: every way to lose the last administrator is tried by two at once, many times.
import type { Role } from "@mainstay/contract";
import sql from "sql-template-tag";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/app.ts";
import { untilBlocked } from "../../testing/blocked.ts";
import { createPerson, type TestPerson } from "../../testing/people.ts";
import { lockRoles } from "../roles/index.ts";

let app: TestApp;
let first: TestPerson;
let second: TestPerson;
beforeAll(async () => {
  app = await startTestApp({ role: "api" });
});
afterAll(() => app.stop());
beforeEach(async () => {
  // Those of the test before, and at first the one of the first start.
  await app.db.run(sql`delete from identities`);
  first = await createPerson(app, "admin");
  second = await createPerson(app, "admin");
});

const administrators = async () =>
  (
    await app.db.rows<{ id: string }>(sql`
      select p.id from casbin_rule r join people p on p.id::text = r.v0 and p.deleted_at is null
        join identities i on i.id = p.id and i.state = 'active'
       where r.v1 = 'admin' order by p.id`)
  ).map(({ id }) => id);

/** Lets one request in after the other, keeps them waiting until all are in, and then lets them go on in this order. */
async function atOnce<T>(requests: readonly (() => Promise<T>)[]): Promise<T[]> {
  const asked = await app.db.transaction(async (tx) => {
    await lockRoles(tx);
    const replies: Promise<T>[] = [];
    for (const ask of requests) {
      replies.push(ask());
      await untilBlocked(tx, replies.length);
    }
    return { replies };
  });
  return await Promise.all(asked.replies);
}

type Ending = [
  name: string,
  end: (asker: TestPerson, of: TestPerson) => Promise<{ status: number; json: { error: string } }>,
];
const endings: Ending[] = [
  ["demoting", (asker, { id }) => asker.post(`/api/rbac/${id}/update_role`, { roles: ["editor"] })],
  [
    "taking all roles from",
    (asker, { id }) => asker.post(`/api/rbac/${id}/update_role`, { roles: [] }),
  ],
  [
    "demoting by editing",
    (asker, { id, email }) =>
      asker.post("/api/people/update", {
        id,
        email,
        firstName: "A",
        lastName: "B",
        role: "viewer",
      }),
  ],
  [
    "deactivating",
    (asker, { id }) => asker.post(`/api/auth/${id}/update_state`, { state: "inactive" }),
  ],
  [
    "deactivating by editing",
    (asker, { id, email }) =>
      asker.post("/api/people/update", { id, email, firstName: "A", lastName: "B", active: false }),
  ],
  ["deleting", (asker, { id }) => asker.delete(`/api/people/${id}`)],
];

describe.each(endings)("%s", (_, end) => {
  test("oneself is refused", async () => {
    const reply = await end(first, first);
    expect([reply.status, reply.json.error]).toEqual([
      403,
      expect.stringMatching(/^You cannot .* yourself\. Ask another administrator to do it\.$/),
    ]);
    expect(await administrators()).toEqual([first.id, second.id].toSorted());
  });

  test("another administrator is done, and counts for what they ask next", async () => {
    expect((await end(first, second)).status).toBeLessThan(300);
    expect(await administrators()).toEqual([first.id]);
    expect((await end(second, first)).status).toBeGreaterThanOrEqual(401);
    expect(await administrators()).toEqual([first.id]);
  });

  test("each other at the same time leaves one", async () => {
    const [early, late] = await atOnce([() => end(first, second), () => end(second, first)]);
    expect(early!.status).toBeLessThan(300);
    expect([401, 403]).toContain(late!.status);
    expect(late!.json.error).toMatch(
      /^(Not logged in|You may not do this any more: your roles were changed a moment ago\.)$/,
    );
    expect(await administrators()).toEqual([first.id]);
  });
});

test("many at the same time leave one", async () => {
  const others = await Promise.all(Array.from({ length: 6 }, () => createPerson(app, "admin")));
  const everybody = [first, second, ...others];
  const replies = await atOnce(
    everybody.map((asker, index) => () => {
      const target = everybody[(index + 1) % everybody.length]!;
      return endings[index % endings.length]![1](asker, target);
    }),
  );
  expect(replies.every(({ status }) => [200, 204, 401, 403].includes(status))).toBe(true);
  expect((await administrators()).length).toBeGreaterThanOrEqual(1);
});

test("the last one cannot be ended by a service either", async () => {
  // A service account with the role does not count as somebody who could administer.
  const service = await createPerson(app, "admin");
  await app.db.run(sql`update people set type = 'service' where id = ${service.id}`);
  expect((await first.delete(`/api/people/${second.id}`)).status).toBe(204);
  for (const [, end] of endings) {
    const reply = await end(service, first);
    expect([reply.status, reply.json.error]).toEqual([
      409,
      "This is the last administrator. Make somebody else an administrator first, or nobody could manage users any more.",
    ]);
  }
  expect(await administrators()).toContain(first.id);
});

test("somebody who could never sign in is none", async () => {
  const [system] = await app.db.rows<{ id: string }>(
    sql`select id from people where name = 'System'`,
  );
  await app.db.run(
    sql`insert into casbin_rule (ptype, v0, v1) values ('g', ${system!.id}, 'admin')`,
  );
  expect((await first.delete(`/api/people/${second.id}`)).status).toBe(204);
  const reply = await first.post(`/api/rbac/${first.id}/update_role`, { roles: ["admin"] });
  expect(reply.status).toBe(200);
  const service = await createPerson(app, "admin");
  await app.db.run(sql`update people set type = 'service' where id = ${service.id}`);
  expect((await service.delete(`/api/people/${first.id}`)).status).toBe(409);
});

test("an inactive administrator is none", async () => {
  const asleep = await createPerson(app, "admin");
  await first.post(`/api/auth/${asleep.id}/update_state`, { state: "inactive" });
  expect((await first.delete(`/api/people/${second.id}`)).status).toBe(204);
  const service = await createPerson(app, "admin");
  await app.db.run(sql`update people set type = 'service' where id = ${service.id}`);
  expect((await service.delete(`/api/people/${first.id}`)).status).toBe(409);
});

test("whoever is demoted while they ask changes nothing any more", async () => {
  const target = await createPerson(app, "viewer");
  const [, promoted] = await atOnce([
    async () => {
      const reply = await first.post(`/api/rbac/${second.id}/update_role`, { roles: ["viewer"] });
      return reply.status;
    },
    async () => {
      const reply = await second.post(`/api/rbac/${target.id}/update_role`, { roles: ["admin"] });
      return reply.status;
    },
  ]);
  const roles = (await first.get(`/api/db/people_roles?id=eq.${target.id}`)).json[0]
    .roles as Role[];
  expect([promoted, roles]).toEqual([403, ["viewer"]]);
  const again = await second.post(`/api/rbac/${target.id}/update_role`, { roles: ["editor"] });
  expect(again.status).toBe(403);
});
